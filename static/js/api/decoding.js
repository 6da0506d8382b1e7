/** The answer of POST /api/decode with its tensors decoded: one frame for the prefill, if any, and one a step. */

import { decodeTyped } from "../tensors.js";

/** @typedef {import("../tensors.js").Tensor} Tensor */

/**
 * @typedef {object} Frame tokens taken in together, and what the cache then is
 * @property {number} position of the first query
 * @property {number} queries how many
 * @property {boolean} prefill
 * @property {number[]} shape of the cached keys, [B, K, P, D]
 * @property {number} bytes
 * @property {{mha: number, gqa: number, mqa: number}} siblings bytes with other numbers of KV heads
 * @property {Tensor} q
 * @property {Tensor} scores
 * @property {Tensor} allowed
 * @property {Tensor} weights
 * @property {Tensor} output
 * @property {number} difference from the full causal pass, the largest
 * @property {{weights: Tensor, difference: number}} topLeft what the wrong alignment would show
 *
 * @typedef {object} Decoding
 * @property {Frame[]} frames
 * @property {number} queries T, all of them
 * @property {number} keys S, the cache at the end
 */

/**
 * @param {any} body
 * @returns {Decoding}
 */
export function readDecoding({ prefilled, steps }) {
  const frames = [...(prefilled ? [frameOf(prefilled, true)] : []), ...steps.map((/** @type {any} */ step) => frameOf(step, false))];
  const last = frames[frames.length - 1];
  return { frames, queries: last.position + last.queries, keys: last.shape[2] };
}

/**
 * @param {any} step
 * @param {boolean} prefill
 * @returns {Frame}
 */
function frameOf({ position, cache, top_left: wrong, ...step }, prefill) {
  const tensor = (/** @type {string} */ name) => decodeTyped(step[name]);
  const q = tensor("q");
  return {
    position,
    queries: q.shape[2],
    prefill,
    shape: cache.shape,
    bytes: cache.bytes,
    siblings: cache.siblings,
    q,
    scores: tensor("scores"),
    allowed: tensor("allowed"),
    weights: tensor("weights"),
    output: tensor("output"),
    difference: Number(step.max_abs_difference_from_full),
    topLeft: { weights: decodeTyped(wrong.weights), difference: Number(wrong.max_abs_difference_from_full) },
  };
}
