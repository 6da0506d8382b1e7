/** The stages of a run by name: which axes each has, and which tensor of the answer holds it. */

/**
 * @typedef {object} Stage
 * @property {"cells" | "masks" | "vectors" | "strip"} kind queries × keys, the same by mask, tokens × dimensions, or one number a query
 * @property {"query" | "key" | ""} rows what a row is; "" for the only one
 * @property {"key" | "dim" | "query"} columns what a column is
 * @property {"query" | "kv" | "none"} heads which heads have it
 * @property {string} tensor its name in the answer
 */

/**
 * @param {Stage["kind"]} kind
 * @param {string} tensor
 * @param {Partial<Stage>} [other]
 * @returns {Stage}
 */
function stage(kind, tensor, other = {}) {
  const columns = kind === "vectors" ? "dim" : "key";
  return { kind, tensor, rows: "query", columns, heads: "query", ...other };
}

/** In the order of the computation. */
export const STAGES = /** @type {Record<string, Stage>} */ ({
  q: stage("vectors", "q"),
  k: stage("vectors", "k", { rows: "key", heads: "kv" }),
  v: stage("vectors", "v", { rows: "key", heads: "kv" }),
  scores: stage("cells", "scores"),
  allowed: stage("masks", "blocked_by"),
  masked_scores: stage("cells", "masked_scores"),
  logsumexp: stage("strip", "logsumexp", { rows: "", columns: "query" }),
  weights: stage("cells", "weights"),
  dropped_weights: stage("cells", "dropped_weights"),
  heads: stage("vectors", "heads"),
  output: stage("vectors", "output", { heads: "none" }),
});

/** The two that are always on show beside each other. */
export const PAIR = ["scores", "weights"];

/** Stages that a comparison has a picture of. */
export const COMPARED = ["q", "k", "v", "scores", "allowed", "masked_scores", "logsumexp", "weights", "dropped_weights", "heads", "output"];

/** Tensors that own numbers can be given for. */
export const CHECKED = /** @type {const} */ (["q", "k", "v", "scores", "weights", "heads", "output"]);

/** Stages that trials of other arithmetic are pictured by. */
export const TRIED = ["scores", "masked_scores", "weights", "heads", "output"];

/** Stages that readings of a mask are pictured by. */
export const READ = ["allowed", "masked_scores", "weights", "heads", "output"];

/** The numbers that a head can be described by. */
export const STATISTICS = /** @type {const} */ (["entropy", "mean_distance", "first_key_weight", "largest_weight"]);

/** @param {string} name */
export function isWeights(name) {
  return name === "weights" || name === "dropped_weights";
}
