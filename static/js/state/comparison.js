/** What is compared with what: the body of the request. A − B is always what is set up first. */

import { toSpec } from "./to_spec.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Compare} Compare */
/** @typedef {import("./types.js").Specification} Specification */

/**
 * @param {Document} document
 * @param {Compare} compare
 * @returns {Record<string, any> | null} null where nothing is compared
 * @throws {SyntaxError} where the text of the other run is not JSON
 */
export function comparisonBody(document, { mode, text, num_kv_heads: heads }) {
  if (mode === "") return null;
  const spec = toSpec(document);
  if (mode === "own_b") return { a: spec, b: JSON.parse(text) };
  if (mode === "pinned_a") return { a: JSON.parse(text), b: spec };
  return { a: spec, variant: mode === "kv_heads" ? { num_kv_heads: Number(heads) } : mode };
}

/**
 * Indented, but with each innermost list on one line, as one reads a matrix.
 * @param {any} spec
 */
export function compactJson(spec) {
  return JSON.stringify(spec, null, 2).replace(/\[[^[\]{}]*\]/g, (list) => list.replace(/\s*\n\s*/g, " ").replace(/^\[ /, "[").replace(/ \]$/, "]"));
}
