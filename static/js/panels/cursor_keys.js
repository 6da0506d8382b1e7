/** The one cursor moved by arrow keys, in any picture. */

import { cursorAt, placeOf } from "../figures/stages.js";

/** @typedef {import("../state/types.js").Cell} Cell */

const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
});

/**
 * @param {string} key
 * @returns {[number, number] | undefined} rows and columns
 */
export function stepOf(key) {
  return STEPS[key];
}

/**
 * The first key puts the cursor on the first cell.
 * @param {string} stage
 * @param {Cell | null} cursor
 * @param {[number, number]} step
 * @param {number} rows
 * @param {number} columns
 */
export function moveBy(stage, cursor, [down, across], rows, columns) {
  if (!cursor) return cursorAt(stage, null, 0, 0);
  const { row, column } = placeOf(stage, cursor);
  if (column === null) return cursorAt(stage, cursor, row, 0);
  return cursorAt(stage, cursor, within(row + down, rows), within(column + across, columns));
}

/**
 * @param {number} index
 * @param {number} length
 */
function within(index, length) {
  return Math.max(0, Math.min(length - 1, index));
}

/**
 * @param {Cell | null} one
 * @param {Cell | null} other
 */
export function sameCell(one, other) {
  return one?.query === other?.query && one?.key === other?.key && one?.dim === other?.dim;
}
