/** Inputs that the server draws from a seed: what was wished for, and the document with them. */

import { divisors, headCounts } from "./dimensions.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Generator} Generator all as typed */
/** @typedef {"tokens" | "width" | "heads" | "seed"} Count */

/** Fields that the new input takes the place of. */
const INPUTS = ["x", "memory", "q", "k", "v", "past_k", "past_v", "tokens", "memory_tokens"];

/** Least and most of each number; the server has the last word. @type {Record<Count, [number, number]>} */
export const BOUNDS = { tokens: [1, 131_072], width: [1, 16_384], heads: [1, 256], seed: [0, 2 ** 32 - 2] };

/**
 * @param {Generator} wish
 * @returns {Count | null} the first that is no whole number within its bounds
 */
export function wrongIn(wish) {
  const asked = /** @type {Count[]} */ (Object.keys(BOUNDS)).filter((name) => name !== "heads" || wish.into === "heads");
  return asked.find((name) => !isWithin(wish[name], BOUNDS[name])) ?? null;
}

/**
 * @param {string} text
 * @param {[number, number]} bounds
 */
function isWithin(text, [least, most]) {
  return /^\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;
}

/**
 * Token vectors to project, or heads: q and k of one seed, v of the next and always normal.
 * @param {Document} document
 * @param {Generator} wish
 * @returns {Document}
 */
export function withGenerated(document, wish) {
  const [N, E, H, seed] = /** @type {const} */ (["tokens", "width", "heads", "seed"]).map((name) => Number(wish[name]));
  const also = Object.fromEntries(Object.entries(document.also).filter(([name]) => !INPUTS.includes(name)));
  const drawn = (/** @type {number[]} */ shape, /** @type {number} */ from, /** @type {string} */ kind) => ({ random: { shape, seed: from, ...(kind === "normal" ? {} : { kind }) } });
  if (wish.into === "x") {
    const input = { ...document.input, kind: /** @type {const} */ ("vectors"), cross: false };
    return fitted({ ...document, input, also: { ...also, x: drawn([N, E], seed, wish.kind) } }, E);
  }
  const shape = H === 1 ? [N, E] : [H, N, E];
  const input = { ...document.input, kind: /** @type {const} */ ("heads"), cross: false };
  const { projection: _none, ...plain } = also;
  return { ...document, input, also: { ...plain, q: drawn(shape, seed, wish.kind), k: drawn(shape, seed, wish.kind), v: drawn(shape, seed + 1, "normal") } };
}

/**
 * The nearest number of heads below that divides the width, where the old one does not.
 * @param {Document} document
 * @param {number} width
 * @returns {Document}
 */
function fitted(document, width) {
  const { H, K } = headCounts(document);
  if (document.heads.head_dim.trim() || width % H === 0) return document;
  const heads = Math.max(...divisors(width).filter((count) => count <= H));
  return { ...document, heads: { ...document.heads, num_heads: String(heads), num_kv_heads: String(heads % K ? heads : K) } };
}
