/** Token labels on numeric axes: repeated labels are normal, so labels are only ever tick text. */

const CHARACTER_PX = 6.6;
const LONGEST = 14;

/** @param {string} label */
export function shortened(label) {
  return label.length > LONGEST ? `${label.slice(0, LONGEST - 1)}…` : label;
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
  return Math.max(1, ...labels.map((label) => shortened(label).length)) * CHARACTER_PX;
}
