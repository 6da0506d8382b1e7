/** The lesson's own routes, and small sums of what the others answer. */

import { headRows, nested } from "../tensors.js";
import { fetchJson } from "./client.js";

/** @typedef {import("../state/lesson.js").LessonStep} LessonStep */
/** @typedef {import("../state/types.js").Specification} Specification */
/** @typedef {import("../tensors.js").Numbers} Numbers */
/** @typedef {import("../tensors.js").Tensor} Tensor */
/** @typedef {{mean: number, variance: number, largest_weight: number}} Spread */
/** @typedef {{width: number, plain: Spread, scaled: Spread}} Width */
/** @typedef {{weights: number[], derivative: number[][], norm: number, largest: number, entropy: number}} SoftmaxRow */
/** @typedef {{tile: number, tiles: number, cells: number, full_cells: number, max_abs_difference: number | string}} Tiles */
/**
 * @typedef {object} Linear
 * @property {number[][][][]} weights
 * @property {{weights: number | string, heads: number | string, reordered: number | string | null}} max_abs_difference
 * @property {{numbers: number, cache: number}} kept
 */

/** Fields that belong to what is projected, and go when q, k and v are given as they were computed. */
const PROJECTED = ["x", "memory", "q", "k", "v", "past_k", "past_v", "projection", "num_heads", "num_kv_heads", "head_dim", "value_dim", "qk_norm", "rope", "tokens", "memory_tokens"];

/** @returns {Promise<LessonStep[]>} */
export async function fetchLesson() {
  return (await fetchJson("api/lesson")).steps;
}

/**
 * @param {number[]} widths
 * @param {AbortSignal} signal
 * @returns {Promise<Width[]>}
 */
export async function fetchScaling(widths, signal) {
  return (await fetchJson("api/lesson/scaling", { widths }, signal)).widths;
}

/**
 * @param {number[][]} rows
 * @param {AbortSignal} signal
 * @returns {Promise<SoftmaxRow[]>}
 */
export async function fetchSoftmax(rows, signal) {
  return rows.length ? (await fetchJson("api/lesson/softmax", { rows }, signal)).rows : [];
}

/**
 * @param {Specification} spec
 * @param {number} tile
 * @param {AbortSignal} signal
 * @returns {Promise<Tiles>}
 */
export function fetchTiles(spec, tile, signal) {
  return fetchJson("api/lesson/tiles", { spec, tile }, signal);
}

/**
 * @param {Specification} spec
 * @param {AbortSignal} signal
 * @returns {Promise<Linear>}
 */
export function fetchLinear(spec, signal) {
  return fetchJson("api/lesson/linear", { spec }, signal);
}

/**
 * The largest difference of each stage between two runs; why there is none where they have other shapes.
 * @param {Specification} a
 * @param {Specification} b
 * @param {AbortSignal} signal
 * @returns {Promise<Record<string, number>>}
 */
export async function fetchDifferences(a, b, signal) {
  const { stages } = await fetchJson("api/compare", { a, b }, signal);
  return Object.fromEntries(Object.entries(stages).map(([name, { max_abs: most }]) => [name, Number(most)]));
}

/**
 * The same run with q, k and v given as they entered the dot product.
 * @param {Specification} spec
 * @param {Record<string, Tensor>} tensors q, k and v
 * @returns {Specification}
 */
export function asHeads(spec, { q, k, v }) {
  const rest = Object.fromEntries(Object.entries(spec).filter(([name]) => !PROJECTED.includes(name)));
  return { ...rest, q: nested(q), k: nested(k), v: nested(v) };
}

/**
 * @param {number[][][][]} heads [B][K][S][D]
 * @param {(tokens: number[][]) => number[][]} change of the tokens of each head
 */
export function tokensChanged(heads, change) {
  return heads.map((item) => item.map(change));
}

/**
 * The first two tokens in each other's place.
 * @template T
 * @param {T[]} tokens
 */
export function swapped([first, second, ...rest]) {
  return second === undefined ? [first] : [second, first, ...rest];
}

/** @param {Iterable<number>} values */
export function sumOf(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** @param {ArrayLike<number>[]} rows */
export function columnSums(rows) {
  return Array.from(rows[0] ?? [], (_, column) => sumOf(rows.map((row) => row[column])));
}

/**
 * max |M − Mᵀ|; null where the matrix is not square.
 * @param {ArrayLike<number>[]} rows
 */
export function asymmetry(rows) {
  if (rows.some((row) => row.length !== rows.length)) return null;
  let most = 0;
  rows.forEach((row, i) => {
    for (let j = 0; j < i; j += 1) most = Math.max(most, Math.abs(row[j] - rows[j][i]));
  });
  return most;
}

/**
 * Of finite numbers: the mean square distance from their mean, divided by one less than their count.
 * @param {number[]} values
 */
export function varianceOf(values) {
  const found = values.filter(Number.isFinite);
  const mean = sumOf(found) / found.length;
  return sumOf(found.map((value) => (value - mean) ** 2)) / (found.length - 1);
}

/**
 * How many cells each mask hides, and how many it hides alone.
 * @param {ArrayLike<number>[]} reasons bit i of a cell is set where mask i blocks it
 * @param {number} masks
 */
export function blockedCells(reasons, masks) {
  const cells = reasons.flatMap((row) => Array.from(row));
  return {
    visible: cells.filter((bits) => bits === 0).length,
    several: cells.filter((bits) => bits & (bits - 1)).length,
    each: Array.from({ length: masks }, (_, mask) => ({
      all: cells.filter((bits) => bits & (1 << mask)).length,
      alone: cells.filter((bits) => bits === 1 << mask).length,
    })),
  };
}

/**
 * Queries that no key is visible to.
 * @param {ArrayLike<number>[]} allowed
 */
export function blindQueries(allowed) {
  return allowed.flatMap((row, query) => (Array.from(row).some(Boolean) ? [] : [query]));
}

/**
 * [H][T][D] side by side: [T][H·D], as the heads were cut out of one wide projection.
 * @param {Tensor} heads [B][H][T][D]
 * @param {number} batch
 */
export function joined(heads, batch) {
  const rows = Array.from({ length: heads.shape[1] }, (_, head) => headRows(heads, batch, head));
  return rows[0].map((_, token) => rows.flatMap((head) => Array.from(head[token])));
}

/**
 * @param {ArrayLike<number>[]} one
 * @param {ArrayLike<number>[]} other of the same shape
 */
export function largestDifference(one, other) {
  return Math.max(...one.map((row, i) => Math.max(...Array.from(row, (value, j) => Math.abs(value - other[i][j])))));
}
