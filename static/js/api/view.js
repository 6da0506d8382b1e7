/** The answer of POST /api/view as events: a picture that fills strip by strip. */

import { decodeTyped } from "../tensors.js";

/** @typedef {import("../tensors.js").Numbers} Numbers */

/**
 * @typedef {object} Found a window's numbers; the first `came` rows are there, the others NaN
 * @property {number[]} rowEdges
 * @property {number[]} colEdges
 * @property {{rows: number, cols: number, how: "max" | "mean"}} reduced tokens of a cell
 * @property {Numbers[]} z
 * @property {Numbers[]} masked share of each cell's pairs that masks hide
 * @property {number} came
 * @property {number} done runs of rows that are computed
 * @property {number} of runs of rows in all
 * @property {boolean} finished
 * @property {boolean} single whether the numbers are float32
 */

/** Pairs of a window that are computed before anyone would look at a bar. */
const SMALL = 2 ** 20;

/** @param {Record<string, any>} request */
export function isSmall({ rows, cols }) {
  return (rows[1] - rows[0]) * (cols[1] - cols[0]) <= SMALL;
}

/**
 * @param {any} answer `masked` may be left out where nothing is
 * @returns {Found}
 */
export function pictureOf(answer) {
  const z = decodeTyped(answer.z);
  const found = begun(answer);
  put(found.z, 0, z);
  if (answer.masked) put(found.masked, 0, decodeTyped(answer.masked));
  else found.masked.fill(new Float32Array(z.shape[1]));
  return { ...found, came: z.shape[0], done: 1, of: 1, finished: true, single: z.dtype === "f4" };
}

/**
 * The picture after each event. Its arrays are filled and not made anew.
 * @param {AsyncIterable<{event: string, data: any}>} events
 * @returns {AsyncGenerator<Found>}
 */
export async function* picturesOf(events) {
  /** @type {Found | null} */
  let found = null;
  for await (const { event, data } of events) {
    if (event === "start") found = begun(data);
    if (found && event === "strip") found = { ...found, ...filled(found, data) };
    if (found && event === "progress") found = { ...found, done: data.done, of: data.of };
    if (found && event === "done") found = { ...found, finished: true };
    if (found) yield found;
  }
}

/**
 * @param {{row_edges: number[], col_edges: number[], reduced: Found["reduced"]}} start
 * @returns {Found}
 */
function begun({ row_edges: rowEdges, col_edges: colEdges, reduced }) {
  const [R, C] = [rowEdges.length - 1, colEdges.length - 1];
  const blank = new Float32Array(C).fill(NaN);
  const z = Array(R).fill(blank);
  return { rowEdges, colEdges, reduced, z, masked: [...z], came: 0, done: 0, of: 0, finished: false, single: true };
}

/**
 * @param {Found} found
 * @param {{rows: [number, number], z: any, masked: any}} strip
 */
function filled({ z, masked }, { rows: [first, last], ...strip }) {
  put(z, first, decodeTyped(strip.z));
  put(masked, first, decodeTyped(strip.masked));
  return { came: last, single: strip.z.dtype === "f4" };
}

/**
 * @param {Numbers[]} rows
 * @param {number} first
 * @param {import("../tensors.js").Tensor} tensor
 */
function put(rows, first, { shape: [count, width], data }) {
  for (let row = 0; row < count; row += 1) rows[first + row] = data.subarray(row * width, (row + 1) * width);
}

/**
 * Smallest and largest finite number of what has come.
 * @param {Found} found
 * @returns {{min: number, max: number}} Infinity … −Infinity where there is none
 */
export function rangeOf({ z, came }) {
  let [min, max] = [Infinity, -Infinity];
  for (let row = 0; row < came; row += 1) {
    for (const value of z[row]) {
      if (value < min && value !== -Infinity) min = value;
      if (value > max && value !== Infinity) max = value;
    }
  }
  return { min, max };
}

/**
 * The cell that holds a place.
 * @param {number[]} edges rising
 * @param {number} place
 * @returns {number} −1 outside
 */
export function cellAt(edges, place) {
  const last = edges.length - 1;
  if (!(place >= edges[0] && place < edges[last])) return -1;
  const width = edges[1] - edges[0];
  return Math.min(last - 1, Math.floor((place - edges[0]) / width));
}
