/** The bar beside a picture that says what its colours stand for. */

/**
 * @param {import("./palette.js").Palette} palette
 * @param {number} ticks at most
 */
export function colourBar({ muted }, ticks) {
  return { thickness: 10, len: 1, x: 1, xpad: 12, ypad: 0, outlinewidth: 0, ticklen: 3, tickcolor: muted, nticks: ticks, tickfont: { color: muted, size: 11 } };
}
