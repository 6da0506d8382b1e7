/** Everything the server said about one cell. */

import { exact } from "./numbers.js";

/** @typedef {import("./api/answer.js").Answer} Answer */

/**
 * @typedef {object} CellFacts
 * @property {{index: number, label: string}} query
 * @property {{index: number, label: string}} key
 * @property {boolean} allowed
 * @property {string} dot
 * @property {string} score
 * @property {string} maskedScore
 * @property {string} weight
 * @property {{kind: string, description: string}[]} reasons the masks that block the cell
 */

/**
 * @param {Answer} answer
 * @param {number} batch
 * @param {number} head
 * @param {import("./state/types.js").Cell} cell
 * @returns {CellFacts}
 */
export function cellFacts(answer, batch, head, { query, key }) {
  /** @param {string} name */
  const at = (name) => valueAt(answer.tensors[name], [batch, head, query, key]);
  /** @param {string} name */
  const text = (name) => (answer.tensors[name] ? exact(at(name), answer.tensors[name].dtype === "f4") : "");
  const bits = answer.tensors.blocked_by ? at("blocked_by") : 0;
  return {
    query: { index: query, label: labelAt(answer.tokens.queries, batch, query) },
    key: { index: key, label: labelAt(answer.tokens.keys, batch, key) },
    allowed: at("allowed") === 1,
    dot: text("dot_products"),
    score: text("scores"),
    maskedScore: text("masked_scores"),
    weight: text("weights"),
    reasons: answer.masks.filter(({ index }) => bits & (1 << index)),
  };
}

/**
 * @param {import("./tensors.js").Tensor} tensor an axis of length 1 stands for every index
 * @param {number[]} indices
 */
export function valueAt(tensor, indices) {
  const offset = tensor.shape.reduce((sum, size, axis) => sum * size + Math.min(indices[axis], size - 1), 0);
  return tensor.data[offset];
}

/**
 * @param {string[][]} labels
 * @param {number} batch
 * @param {number} index
 */
function labelAt(labels, batch, index) {
  return (labels[batch] ?? labels[0])?.[index] ?? "";
}
