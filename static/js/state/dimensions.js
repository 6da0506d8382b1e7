/** The lengths of a document: how many sequences, tokens, heads and numbers there are. */

import { cellValue } from "../numbers.js";
import { shapeIn } from "./references.js";

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
  const P = cacheLength(shapeIn(document, document.also.past_k));
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
export function headCounts(document) {
  const { also, heads } = document;
  if ("q" in also) return { H: headsOf(shapeIn(document, also.q)), K: headsOf(shapeIn(document, also.k)) };
  return { H: count(heads.num_heads), K: count(heads.num_kv_heads) };
}

/** @param {string} text */
function count(text) {
  const value = cellValue(text);
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_HEADS ? value : 1;
}

/**
 * Of heads given as `[T][D]`, `[H][T][D]` or `[B][H][T][D]`.
 * @param {number[]} shape
 */
function headsOf(shape) {
  return shape.length > 2 ? shape[shape.length - 3] : 1;
}

/**
 * Lengths of an input that stands aside, in a file or as it was written: one a sequence, all equal.
 * @param {Document} document
 * @param {"x" | "memory" | "q" | "k"} name
 * @returns {number[] | null} null where a grid holds it, or its shape is not known
 */
function lengthsAside(document, name) {
  const shape = shapeIn(document, document.also[name]);
  if (shape.length < 2) return null;
  const vectors = name === "x" || name === "memory";
  const batch = shape.length === (vectors ? 3 : 4) ? shape[0] : 1;
  return Array.from({ length: batch }, () => shape[shape.length - 2]);
}

/**
 * @param {Document} document
 * @returns {number[]} tokens of each sequence before padding
 */
export function queryLengths(document) {
  const { input } = document;
  const aside = lengthsAside(document, input.kind === "heads" ? "q" : "x");
  if (aside) return aside;
  if (input.kind === "heads") return input.given.map((item) => item.queries.length);
  return input.sequences.map((sequence) => sequence.tokens.length);
}

/**
 * @param {Document} document
 * @returns {number[]} new keys of each sequence before padding, the cache not counted
 */
export function keyLengths(document) {
  const { input } = document;
  const vectors = input.cross ? "memory" : "x";
  const aside = lengthsAside(document, input.kind === "heads" ? "k" : vectors);
  if (aside) return aside;
  if (input.kind === "heads") return input.given.map((item) => item.keys.length);
  return input.sequences.map((sequence) => (input.cross ? sequence.memory : sequence.tokens).length);
}

/**
 * @param {Document} document
 * @param {"tokens" | "memory"} part
 * @returns {number} numbers per token vector
 */
export function width(document, part) {
  const aside = document.also[part === "tokens" ? "x" : "memory"];
  if (aside !== undefined) return shapeIn(document, aside).at(-1) ?? 0;
  return document.input.sequences[0][part][0]?.cells.length ?? 0;
}

/**
 * P of a cache written `[P][D]`, `[K][P][D]` or `[B][K][P][D]`.
 * @param {number[]} shape
 */
function cacheLength(shape) {
  return shape.length >= 2 ? shape[shape.length - 2] : 0;
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
