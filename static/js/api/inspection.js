/** The answer of POST /api/inspect: one cell, its row and its output, as served. */

import { decodeTyped, isTyped } from "../tensors.js";

/** @typedef {import("../tensors.js").Numbers} Numbers */
/** @typedef {{index: number, kind: string, description: string, visible: boolean, added: number | null}} MaskAtCell */

/**
 * @typedef {object} Inspection
 * @property {{batch: number, head: number, query: number, key: number}} at
 * @property {{query: string, key: string}} labels
 * @property {[number, number]} keys half-open range of those that the row's numbers are told of
 * @property {Numbers} q
 * @property {Numbers} k
 * @property {Numbers} products
 * @property {number} dot_product
 * @property {number} scale
 * @property {number} scaled
 * @property {number | null} capped
 * @property {number[]} biases
 * @property {number} score
 * @property {MaskAtCell[]} masks
 * @property {number} fill
 * @property {number} masked_score
 * @property {Numbers} masked_scores
 * @property {number} maximum
 * @property {number | null} sink
 * @property {Numbers} exponentials
 * @property {number} denominator
 * @property {number} logsumexp
 * @property {number} weight
 * @property {Numbers} weights
 * @property {Numbers | null} dropped_weights
 * @property {Numbers[]} contributions a row a key
 * @property {Numbers} total
 * @property {boolean} single whether the numbers are float32
 */

const NAMES = new Map([
  ["NaN", NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
]);

/**
 * @param {any} body
 * @returns {Inspection}
 */
export function readInspection(body) {
  const plain = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, valueOf(value)]));
  const { shape, data } = decodeTyped(body.contributions);
  const contributions = Array.from({ length: shape[0] }, (_, key) => data.subarray(key * shape[1], (key + 1) * shape[1]));
  return /** @type {Inspection} */ ({ ...plain, contributions, single: body.q.dtype === "f4" });
}

/**
 * @param {any} value
 * @returns {any}
 */
function valueOf(value) {
  if (isTyped(value)) return decodeTyped(value).data;
  if (Array.isArray(value)) return value.map(valueOf);
  if (typeof value === "string" && NAMES.has(value)) return NAMES.get(value);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, name === "query" || name === "key" ? inner : valueOf(inner)]);
  return Object.fromEntries(entries);
}

/**
 * The same numbers as JSON text, for copying: not finite ones by name.
 * @param {Inspection} inspection
 */
export function textOfInspection({ single, ...inspection }) {
  const plain = (/** @type {string} */ _name, /** @type {any} */ value) => {
    if (ArrayBuffer.isView(value)) return Array.from(/** @type {Numbers} */ (value));
    return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  };
  return JSON.stringify(inspection, plain, 1).replace(/\[\s+([^[\]{}]*?)\s+\]/g, (_, inner) => `[${inner.replace(/\s+/g, " ")}]`);
}

/**
 * @typedef {object} Line one step of the arithmetic
 * @property {"dot" | "scale" | "softcap" | "bias" | "score" | "added" | "masked" | "maximum" | "exponential" | "denominator" | "sink" | "weight" | "dropped"} name
 * @property {number | null} by what is applied
 * @property {number | null} result what it gives
 */

/**
 * From the dot product to the weight, only the steps that this run has.
 * @param {Inspection} inspection
 * @returns {Line[]}
 */
export function arithmetic(inspection) {
  const { at, keys, capped, biases, masks, sink, dropped_weights: dropped } = inspection;
  const added = masks.filter((mask) => mask.added !== null && mask.added !== 0);
  return [
    line("dot", null, inspection.dot_product),
    line("scale", inspection.scale, inspection.scaled),
    ...(capped === null ? [] : [line("softcap", null, capped)]),
    ...biases.map((bias) => line("bias", bias, null)),
    line("score", null, inspection.score),
    ...added.map((mask) => line("added", mask.added, null)),
    line("masked", null, inspection.masked_score),
    line("maximum", inspection.maximum, null),
    line("exponential", null, inspection.exponentials[at.key - keys[0]]),
    ...(sink === null ? [] : [line("sink", sink, null)]),
    line("denominator", inspection.denominator, null),
    line("weight", null, inspection.weight),
    ...(dropped === null ? [] : [line("dropped", null, dropped[at.key - keys[0]])]),
  ];
}

/**
 * @param {Line["name"]} name
 * @param {number | null} by
 * @param {number | null} result
 * @returns {Line}
 */
function line(name, by, result) {
  return { name, by, result };
}
