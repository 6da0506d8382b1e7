/** Token labels on numeric axes: repeated labels are normal, so labels are only ever tick text. */

const CHARACTER_PX = 6.6;
const LONGEST = 14;
/** Chinese, Japanese and Korean characters, and whatever else is as wide as it is high. */
const WIDE = /[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}\u{20000}-\u{2fffd}]/u;

/**
 * @param {string} text
 * @returns {number} in narrow characters
 */
function breadth(text) {
  let sum = 0;
  for (const character of text) sum += WIDE.test(character) ? 2 : 1;
  return sum;
}

/** @param {string} label */
export function shortened(label) {
  if (breadth(label) <= LONGEST) return label;
  const characters = [...label];
  while (breadth(characters.join("")) > LONGEST - 1) characters.pop();
  return `${characters.join("")}…`;
}

/**
 * Every n-th label, so that they never run into each other.
 * @param {string[]} labels
 * @param {number} cellPx
 * @param {number} neededPx room one label takes along the axis
 */
export function ticks(labels, cellPx, neededPx) {
  const step = niceStep(Math.max(1, Math.ceil(neededPx / Math.max(cellPx, 0.01))));
  const tickvals = labels.map((_, index) => index).filter((index) => index % step === 0);
  return { tickvals, ticktext: tickvals.map((index) => escaped(shortened(labels[index]))) };
}

/** @param {number} step */
function niceStep(step) {
  return [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((nice) => nice >= step) ?? step;
}

/**
 * Plotly reads a few tags and entities in its texts; a token is never meant as one.
 * @param {string} label
 */
export function escaped(label) {
  return label.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * @param {string[]} labels
 * @returns {number} pixels of the longest
 */
export function labelWidth(labels) {
  return labels.reduce((most, label) => Math.max(most, breadth(shortened(label))), 1) * CHARACTER_PX;
}
