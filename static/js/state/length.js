/** Sequences that are too long to be shown whole, and windows of them: half-open ranges of queries and keys. */

import { dimensions } from "./dimensions.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {[number, number]} Range half-open */
/** @typedef {{rows: Range, cols: Range}} Window rows are queries, columns are keys */
/** @typedef {{T: number, S: number}} Lengths */

/** Beyond so many tokens the cells of a whole picture are smaller than a pixel. */
export const MOST_WHOLE_TOKENS = 512;
/** Cells of a picture's side, as many as a screen has room for. */
export const MOST_CELLS = 512;
/** A window of fewer tokens would not be worth its axes. */
export const LEAST_TOKENS = 8;

/**
 * Whether a document is shown window by window; one the server would answer whole may be asked for so.
 * @param {Document} document
 * @param {boolean} whole
 * @param {number} most cells that the server answers at once
 */
export function isAtLength(document, whole, most) {
  const { B, H, T, S } = dimensions(document);
  if (B * H * T * S > most) return true;
  return Math.max(T, S) > MOST_WHOLE_TOKENS && !whole;
}

/**
 * @param {Window | null} window
 * @param {Lengths} lengths
 * @returns {Window} everything where there is none
 */
export function windowIn(window, { T, S }) {
  return window ?? { rows: [0, T], cols: [0, S] };
}

/**
 * The window as it is kept: null where it is everything.
 * @param {Window} window
 * @param {Lengths} lengths
 * @returns {Window | null}
 */
export function keptWindow({ rows, cols }, { T, S }) {
  const within = { rows: inside(rows, T), cols: inside(cols, S) };
  const whole = within.rows[0] === 0 && within.cols[0] === 0 && within.rows[1] === T && within.cols[1] === S;
  return whole ? null : within;
}

/**
 * Whole tokens, moved into what there is, and no fewer than a few.
 * @param {Range} range
 * @param {number} total
 * @returns {Range}
 */
export function inside([from, to], total) {
  const size = Math.max(Math.min(LEAST_TOKENS, total), Math.min(total, Math.round(to - from)));
  const start = Math.max(0, Math.min(total - size, Math.round((from + to - size) / 2)));
  return [start, start + size];
}

/**
 * Nearer (factor below 1) or farther, about a place that stays where it is.
 * @param {Window} window
 * @param {number} factor
 * @param {{row: number, col: number}} about
 * @param {Lengths} lengths
 * @returns {Window | null}
 */
export function zoomed({ rows, cols }, factor, { row, col }, lengths) {
  return keptWindow({ rows: scaled(rows, factor, row), cols: scaled(cols, factor, col) }, lengths);
}

/**
 * @param {Range} range
 * @param {number} factor
 * @param {number} about
 * @returns {Range}
 */
function scaled([from, to], factor, about) {
  return [about - (about - from) * factor, about + (to - about) * factor];
}

/**
 * @param {Window} window
 * @param {number} down in tokens
 * @param {number} across
 * @param {Lengths} lengths
 * @returns {Window | null}
 */
export function panned({ rows, cols }, down, across, lengths) {
  return keptWindow({ rows: [rows[0] + down, rows[1] + down], cols: [cols[0] + across, cols[1] + across] }, lengths);
}

/** @param {Window} window */
export function middleOf({ rows, cols }) {
  return { row: (rows[0] + rows[1]) / 2, col: (cols[0] + cols[1]) / 2 };
}

/**
 * Cells begin at multiples of their width, which is a power of two: moving a window then moves its cells and
 * does not cut them anew.
 * @param {Range} range
 * @param {number} total
 * @returns {{range: Range, cells: number}} what to ask for, and into how many cells
 */
export function aligned([from, to], total) {
  let width = 1;
  while (Math.ceil(to / width) - Math.floor(from / width) > MOST_CELLS) width *= 2;
  const start = Math.floor(from / width) * width;
  const stop = Math.min(total, Math.ceil(to / width) * width);
  return { range: [start, stop], cells: Math.ceil((stop - start) / width) };
}
