/** What is compared with what: the body of the request. A − B is always what is set up first. */

import { hiddenFault } from "../json_fault.js";
import { dimensions, headCounts, width } from "./dimensions.js";
import { maskList } from "./mask_list.js";
import { toSpec } from "./to_spec.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Compare} Compare */
/** @typedef {import("./types.js").Specification} Specification */

/**
 * @param {Document} document
 * @param {Compare} compare
 * @returns {Record<string, any> | null} null where nothing is compared
 * @throws {SyntaxError} where the text of the other run is not JSON
 * @throws {HiddenFault} where it holds what JSON.parse lets pass and the server does not
 */
export function comparisonBody(document, { mode, text, num_kv_heads: heads }) {
  if (mode === "") return null;
  const spec = toSpec(document);
  if (mode === "own_b") return { a: spec, b: otherRun(text) };
  if (mode === "pinned_a") return { a: otherRun(text), b: spec };
  return { a: spec, variant: mode === "kv_heads" ? { num_kv_heads: Number(heads) } : mode };
}

/**
 * @typedef {"noMask" | "alreadyAfter" | "scaleIsOne" | "noCausal" | "sameCorner" | "fewHeads"} Nothing
 */

/**
 * Why a shortcut would compare a run with itself; null where it would not, or where only the server can tell.
 * @param {Document} document
 * @param {Compare["mode"]} mode
 * @returns {Nothing | null}
 */
export function nothingToCompare(document, mode) {
  const masks = maskList(document).map(({ mask }) => mask);
  const { settings } = document;
  if (mode === "kv_heads") return headCounts(document).K < 2 ? "fewHeads" : null;
  if (mode === "scale_off") return scaleOf(document) === 1 ? "scaleIsOne" : null;
  if (mode === "mask_off") return masks.length === 0 ? "noMask" : null;
  if (mode === "mask_after_softmax") {
    if (masks.length === 0) return "noMask";
    return settings.mask_order === "after_softmax" ? "alreadyAfter" : null;
  }
  if (mode !== "other_alignment") return null;
  const { T, S } = dimensions(document);
  if (!masks.some((mask) => mask?.kind === "causal" && (mask.offset ?? null) === null)) return "noCausal";
  return T === S && !hasOwnInput(document) ? "sameCorner" : null;
}

/**
 * What the scores are multiplied by; NaN where fields that the page has no control for decide it.
 * @param {Document} document
 */
function scaleOf(document) {
  const { input, settings, heads, also } = document;
  if ("scale" in also) return NaN;
  if (settings.scale.mode !== "default") return settings.scale.mode === "one" ? 1 : Number(settings.scale.value);
  if (hasOwnInput(document) || "projection" in also) return NaN;
  if (input.kind === "heads") return input.given[0].q[0][0].length ** -0.5;
  return (Number(heads.head_dim) || width(document, "tokens") / headCounts(document).H) ** -0.5;
}

/**
 * Whether the input's lengths are not those of the page's own grids.
 * @param {Document} document
 */
function hasOwnInput({ also }) {
  return ["x", "q", "k", "v", "memory"].some((name) => name in also);
}

/**
 * The stage to ask both runs for: dropped weights only where both have dropout.
 * @param {Record<string, any>} body
 * @param {string} stage
 */
export function stageOfBoth({ a, b }, stage) {
  const both = [a, b ?? a].every((spec) => spec?.dropout);
  return stage === "dropped_weights" && !both ? "weights" : stage;
}

/** A text that is JSON and yet no specification. */
export class HiddenFault extends Error {
  /** @param {NonNullable<ReturnType<typeof hiddenFault>>} fault */
  constructor(fault) {
    super(fault.kind);
    this.fault = fault;
  }
}

/** @param {string} text */
function otherRun(text) {
  const spec = JSON.parse(text);
  const fault = hiddenFault(text);
  if (fault) throw new HiddenFault(fault);
  return spec;
}

/**
 * Indented, but with each innermost list on one line, as one reads a matrix.
 * @param {any} spec
 */
export function compactJson(spec) {
  return JSON.stringify(spec, null, 2).replace(/\[[^[\]{}]*\]/g, (list) => list.replace(/\s*\n\s*/g, " ").replace(/^\[ /, "[").replace(/ \]$/, "]"));
}
