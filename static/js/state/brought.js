/** A document with what a file on the server offers beside plain tensors: a model's weights, recorded calls. */

import { queryLengths, width } from "./dimensions.js";
import { fromSpec } from "./from_spec.js";
import { isReference, referencesIn, withUpload } from "./references.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Upload} Upload */
/** @typedef {import("./roles.js").ListedTensor} ListedTensor */
/** @typedef {{module: string, width: number | null, num_heads: number | null, num_kv_heads: number | null, head_dim: number | null}} Module */

/**
 * What the document keeps of a file: the shapes are those of the tensors that a value refers to.
 * @param {{id: string, name: string, size: number, tensors: ListedTensor[]}} answer
 * @param {{beside?: string[], options?: Record<string, string>, run?: import("./types.js").Run}} came
 * @param {unknown} [value] what refers to it
 * @returns {Upload}
 */
export function noteOf({ id, name, size, tensors }, { beside = [], options = {}, run }, value) {
  const used = new Set(referencesIn(value).flatMap((reference) => (reference.upload === id ? [reference.name ?? tensors[0]?.name] : [])));
  const shapes = Object.fromEntries(tensors.filter((tensor) => used.has(tensor.name)).map((tensor) => [tensor.name, tensor.shape]));
  return { id, name, size, beside, options, shapes, ...(run && { run }) };
}

/**
 * Projected by the weights of one module; the heads as far as the file tells them. Where the page's
 * vectors are of another width, random ones stand in for them.
 * @param {Document} document
 * @param {Upload} upload
 * @param {Module} chosen
 * @param {string} layout
 * @returns {Document}
 */
export function withWeights(document, upload, chosen, layout) {
  const { module, num_heads: H, num_kv_heads: K, head_dim: D } = chosen;
  const projection = { kind: "checkpoint", upload: upload.id, module, ...(layout === "auto" ? {} : { layout }) };
  const heads = H === null ? document.heads : { num_heads: String(H), num_kv_heads: String(K ?? H), head_dim: D === null ? "" : String(D), value_dim: "" };
  const input = { ...document.input, kind: /** @type {const} */ ("vectors") };
  const also = Object.fromEntries(Object.entries(document.also).filter(([name]) => !["q", "k", "v", "past_k", "past_v"].includes(name)));
  const x = fits(document, chosen) ? {} : { x: { random: { shape: [Math.max(...queryLengths(document)), chosen.width], seed: 0 } } };
  return withUpload({ ...document, input, heads, also: { ...also, ...x, projection } }, upload);
}

/**
 * Whether the vectors on the page are as wide as the module reads them, as far as that is known.
 * @param {Document} document
 * @param {Module} module
 */
export function fits(document, module) {
  return module.width === null || (document.input.kind === "vectors" && width(document, "tokens") === module.width);
}

/**
 * One recorded call as it was: heads, masks and scale from the record, all other settings at their defaults.
 * @param {Document} document
 * @param {Upload} upload with the shapes of the call's tensors
 * @param {import("./types.js").Specification} spec
 * @returns {Document}
 */
export function withCall(document, upload, spec) {
  const others = document.uploads.filter(({ id }) => id !== upload.id);
  return { ...fromSpec(spec), uploads: [...others, upload] };
}

/**
 * Which recorded call is on show.
 * @template {{spec: import("./types.js").Specification}} C
 * @param {Document} document
 * @param {string} id of the upload
 * @param {C[]} calls
 * @returns {number} -1 where none of them is
 */
export function callOnShow({ also }, id, calls) {
  const { q } = also;
  if (!isReference(q) || q.upload !== id) return -1;
  return calls.findIndex(({ spec }) => spec.q.name === q.name);
}
