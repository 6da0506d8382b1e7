/** The lengths of a document: how many sequences, tokens, heads and numbers there are. */

import { cellValue } from "../numbers.js";

/** @typedef {import("./types.js").Document} Document */

/** More heads than any server of ours computes; drawing what is typed must not stop the page. */
const MOST_HEADS = 1024;

/**
 * B sequences, T queries and S keys (P of them cached) after padding, H query and K KV heads.
 * @typedef {{B: number, T: number, S: number, P: number, H: number, K: number}} Dimensions
 */

/**
 * @param {Document} document
 * @returns {Dimensions}
 */
export function dimensions(document) {
  const queries = queryLengths(document);
  const P = cacheLength(document.also.past_k);
  return {
    B: queries.length,
    T: Math.max(...queries),
    S: P + Math.max(...keyLengths(document)),
    P,
    ...headCounts(document),
  };
}

/**
 * Whole numbers of heads; what is not one, or far too many, counts as 1 until the server has said what is wrong.
 * @param {Document} document
 */
export function headCounts({ heads }) {
  return { H: count(heads.num_heads), K: count(heads.num_kv_heads) };
}

/** @param {string} text */
function count(text) {
  const value = cellValue(text);
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_HEADS ? value : 1;
}

/**
 * @param {Document} document
 * @returns {number[]} tokens of each sequence before padding
 */
export function queryLengths({ input }) {
  if (input.kind === "heads") return input.given.map((item) => item.queries.length);
  return input.sequences.map((sequence) => sequence.tokens.length);
}

/**
 * @param {Document} document
 * @returns {number[]} new keys of each sequence before padding, the cache not counted
 */
export function keyLengths({ input }) {
  if (input.kind === "heads") return input.given.map((item) => item.keys.length);
  return input.sequences.map((sequence) => (input.cross ? sequence.memory : sequence.tokens).length);
}

/**
 * @param {Document} document
 * @param {"tokens" | "memory"} part
 * @returns {number} numbers per token vector
 */
export function width({ input }, part) {
  return input.sequences[0][part][0]?.cells.length ?? 0;
}

/**
 * P of a cache written `[P][D]`, `[K][P][D]` or `[B][K][P][D]`.
 * @param {any} past
 */
function cacheLength(past) {
  const shape = shapeOf(past);
  return shape.length >= 2 ? shape[shape.length - 2] : 0;
}

/**
 * @param {any} value nested lists or a typed array
 * @returns {number[]}
 */
export function shapeOf(value) {
  if (typeof value?.shape === "string") return value.shape.split(",").map(Number);
  if (Array.isArray(value?.shape)) return value.shape;
  const shape = [];
  for (let inner = value; Array.isArray(inner); inner = inner[0]) shape.push(inner.length);
  return shape;
}

/**
 * Divisors of n, smallest first.
 * @param {number} n
 */
export function divisors(n) {
  const candidates = Array.from({ length: Math.floor(Math.sqrt(n)) }, (_, index) => index + 1);
  const small = candidates.filter((candidate) => n % candidate === 0);
  const large = small.map((divisor) => n / divisor).reverse();
  return small.at(-1) === large[0] ? [...small, ...large.slice(1)] : [...small, ...large];
}
