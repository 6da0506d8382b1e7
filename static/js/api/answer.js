/** The answer of POST /api/attention with its tensors decoded. */

import { decodeTyped, isTyped } from "../tensors.js";

/** @typedef {import("../tensors.js").Tensor} Tensor */
/** @typedef {{name: string, formula: string, axes: string[], shape: number[], min: number | null, max: number | null}} Step */
/** @typedef {{code: string, message: string, concerns?: string, rows?: number[][]}} Warning */
/** @typedef {{index: number, kind: string, description: string}} MaskNote */

/** @typedef {Omit<Answer, "tensors">} Plan what is known of a run without its numbers; `tokens` may hold one list for all sequences */

/**
 * @typedef {object} Answer
 * @property {{kind: string, num_heads: number, num_kv_heads: number, kv_head_of: number[], head_dim: number, value_dim: number, cross: boolean}} layout
 * @property {Step[]} steps
 * @property {Record<string, Tensor>} tensors
 * @property {Warning[]} warnings
 * @property {{queries: string[][], keys: string[][]}} tokens
 * @property {MaskNote[]} masks
 */

/**
 * @param {any} body
 * @returns {Answer}
 */
export function readAnswer(body) {
  const tensors = Object.entries(body.tensors).filter(([, value]) => isTyped(value));
  return {
    layout: body.layout,
    steps: body.steps,
    tensors: Object.fromEntries(tensors.map(([name, value]) => [name, decodeTyped(/** @type {any} */ (value))])),
    warnings: body.warnings ?? [],
    tokens: body.tokens,
    masks: body.masks ?? [],
  };
}
