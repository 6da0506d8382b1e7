/** Ink that can be read on a colour: contrast as WCAG 2.1 defines it. */

/** Of these two one always has a contrast of 4.58 or more; of softer ones neither would on middle tones. */
const INKS = ["#000000", "#ffffff"];

/**
 * @param {string} paper rgb(r,g,b)
 * @returns {string} the ink with the higher contrast
 */
export function inkOn(paper) {
  const light = luminance(paper);
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? INKS[0] : INKS[1];
}

/** @param {string} colour rgb(r,g,b) */
function luminance(colour) {
  const [red, green, blue] = (colour.match(/\d+/g) ?? []).map((channel) => linear(Number(channel) / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {number} channel */
function linear(channel) {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
}
