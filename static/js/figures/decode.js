/** Decoding as pictures: the causal triangle row by row, and what the newest tokens ask, score, weigh and give. */

import { isWeights } from "../state/stages.js";
import { headRows } from "../tensors.js";
import { brief } from "../numbers.js";
import { coverOf, marksOf } from "./marks.js";
import { scaleOf } from "./scales.js";

/** @typedef {import("../api/decoding.js").Decoding} Decoding */
/** @typedef {import("../api/decoding.js").Frame} Frame */
/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./picture.js").Look} Look */
/** @typedef {import("../tensors.js").Tensor} Tensor */
/** @typedef {{batch: number, head: number}} Place */

/** What is drawn of one step: tensors of a frame, and the weights under the wrong alignment. */
export const STRIPS = /** @type {const} */ (["q", "scores", "weights", "topLeft", "output"]);

/** @typedef {typeof STRIPS[number]} Strip */

/**
 * Rows of all tokens; those not taken in yet are empty, and so are keys not yet in the cache.
 * @param {Decoding} decoding
 * @param {number} last frame that was taken
 * @param {Place} place
 * @param {Look} look
 * @returns {Picture}
 */
export function trianglePicture({ frames, queries, keys }, last, { batch, head }, look) {
  const taken = frames.slice(0, last + 1);
  const rows = taken.flatMap(({ weights }) => padded(headRows(weights, batch, head), keys, NaN));
  const allowed = taken.flatMap((frame) => padded(headRows(frame.allowed, batch, head), keys, 1));
  const missing = (/** @type {number} */ value) => Array.from({ length: queries - rows.length }, () => new Float64Array(keys).fill(value));
  return painted("weights", [...rows, ...missing(NaN)], [...allowed, ...missing(1)], look, 1, taken.map(({ queries: count, shape }) => ({ count, width: shape[2] })));
}

/**
 * One step's own rows; scores and weights over all keys that there will be, so that the row grows.
 * @param {Decoding} decoding
 * @param {number} at frame
 * @param {Strip} strip
 * @param {Place} place
 * @param {Look} look
 * @returns {Picture}
 */
export function stripPicture({ frames, keys }, at, strip, { batch, head }, look) {
  const frame = frames[at];
  const extent = [{ count: frame.queries, width: frame.shape[2] }];
  if (strip === "q" || strip === "output") {
    const rows = vectors(frame, strip, batch, head);
    return painted(strip, rows, null, look, reach(frames.map((each) => each[strip])), [{ count: frame.queries, width: rows[0].length }]);
  }
  const allowed = headRows(frame.allowed, batch, head);
  const visible = strip === "topLeft" ? allowed.map((row, index) => Uint8Array.from(row, (value, key) => (key <= index ? value : 0))) : allowed;
  const tensor = strip === "topLeft" ? frame.topLeft.weights : frame[strip];
  const most = strip === "scores" ? reach(frames.map(({ scores }) => scores)) : 1;
  return painted(strip === "scores" ? "scores" : "weights", padded(headRows(tensor, batch, head), keys, NaN), padded(visible, keys, 1), look, most, extent);
}

/**
 * @param {Frame} frame
 * @param {"q" | "output"} name
 * @param {number} batch
 * @param {number} head
 */
function vectors(frame, name, batch, head) {
  if (name === "q") return headRows(frame.q, batch, head);
  const [B, C, E] = frame.output.shape;
  return headRows({ ...frame.output, shape: [B, 1, C, E] }, batch, 0);
}

/**
 * @param {ArrayLike<number>[]} rows
 * @param {number} width
 * @param {number} value
 */
function padded(rows, width, value) {
  return rows.map((row) => {
    const wide = new Float64Array(width).fill(value);
    wide.set(row);
    return wide;
  });
}

/** @type {WeakMap<Tensor, number>} */
const known = new WeakMap();

/**
 * Largest finite distance from 0 over all steps, so that a colour means the same in each.
 * @param {Tensor[]} tensors
 */
function reach(tensors) {
  return Math.max(0, ...tensors.map(reachOfOne)) || 1;
}

/** @param {Tensor} tensor */
function reachOfOne(tensor) {
  let most = known.get(tensor) ?? 0;
  if (known.has(tensor)) return most;
  for (const value of tensor.data) {
    const distance = Math.abs(value);
    if (distance > most && distance !== Infinity) most = distance;
  }
  known.set(tensor, most);
  return most;
}

/**
 * What lies beyond the cache is no number at all, so it bears no mark either.
 * @param {"q" | "scores" | "weights" | "output"} stage
 * @param {ArrayLike<number>[]} values
 * @param {ArrayLike<number>[] | null} allowed
 * @param {Look} look
 * @param {number} most
 * @param {{count: number, width: number}[]} extent rows and how far each reaches
 * @returns {Picture}
 */
function painted(stage, values, allowed, { palette, showMasked, weightScale }, most, extent) {
  const scale = scaleOf(stage, palette, most, weightScale);
  const z = scale.shown ? values.map(scale.shown) : values;
  const marks = marksOf(values, allowed, coverOf(stage, showMasked), z, scale);
  const widths = extent.flatMap(({ count, width }) => Array.from({ length: count }, () => width));
  marks.forEach((row, index) => row.fill(NaN, widths[index] ?? 0));
  const digits = isWeights(stage) ? (/** @type {number} */ value) => value.toFixed(3) : brief;
  const label = (/** @type {number} */ value) => (Number.isNaN(value) ? "" : digits(value));
  return { stage, values, z, marks, allowed, scale, label };
}
