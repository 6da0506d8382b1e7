/** Whether a kept value may stand at its place: its type, its choices, the shape of its list. */

import { PALETTES } from "./palettes.js";
import { CHECKED, COMPARED, READ, TRIED } from "./stages.js";

/** @typedef {(value: any) => boolean} Check */

const STAGES = ["x", "memory", "q", "k", "v", "dot_products", "scores", "allowed", "masked_scores", "logsumexp", "weights", "dropped_weights", "heads", "output"];

/** @type {Record<string, readonly string[]>} */
const CHOICES = {
  "document.input.kind": ["vectors", "heads"],
  "document.input.pad_side": ["right", "left"],
  "document.masks.causal.alignment": ["default", "top_left", "bottom_right", "offset"],
  "document.masks.padding.mode": ["auto", "lengths", "keep"],
  "document.settings.scale.mode": ["default", "one", "number"],
  "document.settings.fill.mode": ["-Infinity", "-1e9", "-1e4", "custom"],
  "document.settings.mask_order": ["before_softmax", "after_softmax"],
  "document.settings.fully_masked": ["zero", "nan", "uniform"],
  "document.settings.projection.kind": ["random", "identity"],
  "document.settings.rope.style": ["half", "interleaved"],
  "document.settings.dtype": ["float32", "float64", "float16", "bfloat16"],
  "view.source": ["", "file", "text", "random"],
  "view.generator.kind": ["normal", "waves"],
  "view.generator.into": ["x", "heads"],
  "view.stage": STAGES,
  "view.weightScale": ["fixed", "row", "log"],
  "view.palette": PALETTES,
  "view.sortHeads": ["head", "entropy", "mean_distance", "first_key_weight", "largest_weight"],
  "view.reduce": ["max", "mean"],
  "view.lengthScale": ["log", "row", "fixed"],
  "view.theme": ["system", "light", "dark"],
  "view.language": ["", "en", "zh"],
  "view.checked": CHECKED,
  "compare.mode": ["", "mask_off", "mask_after_softmax", "scale_off", "other_alignment", "kv_heads", "own_b", "pinned_a"],
  "compare.stage": COMPARED,
  "tools.costs.longest": ["64", "4096", "131072", "1048576"],
  "tools.costs.dtype": ["run", "float32", "float16", "bfloat16"],
  "tools.code.style": ["explicit", "sdpa", "multihead_attention", "numpy"],
  "tools.stability.dtype": ["float32", "float64", "float16", "bfloat16"],
  "tools.stability.stage": TRIED,
  "tools.readings.subject": ["array", "causal", "window"],
  "tools.readings.stage": READ,
};

const isText = (/** @type {any} */ value) => typeof value === "string";
const isFlag = (/** @type {any} */ value) => typeof value === "boolean";
const isIndex = (/** @type {any} */ value) => Number.isInteger(value) && value >= 0;
const isObject = (/** @type {any} */ value) => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * @param {Check} check
 * @returns {Check}
 */
function listOf(check) {
  return (value) => Array.isArray(value) && value.every(check);
}

/**
 * @param {Check} check
 * @returns {Check}
 */
function someOf(check) {
  return (value) => Array.isArray(value) && value.length > 0 && value.every(check);
}

/** @type {Record<string, Check>} */
const CHECKS = {
  "document.input.sequences": (value) => someOf(isSequence)(value) && sameWidth(value.flatMap((/** @type {any} */ item) => item.tokens.map(cellsOf))) && sameWidth(value.flatMap((/** @type {any} */ item) => item.memory.map(cellsOf))),
  "document.input.given": someOf((item) => isObject(item) && listOf(isText)(item.queries) && listOf(isText)(item.keys) && ["q", "k", "v"].every((name) => isHeads(item[name]))),
  "document.masks.padding.lengths": listOf(isText),
  "document.masks.padding.keep": listOf(listOf(isFlag)),
  "document.masks.documents.ids": listOf(listOf(isText)),
  "document.masks.drawn.allowed": listOf(listOf(isFlag)),
  "document.also": isObject,
  "document.uploads": listOf(isUpload),
  "view.folds": listOf(isText),
  "view.window": (value) => value === null || (isObject(value) && isRange(value.rows) && isRange(value.cols)),
  cell: (value) => value === null || (isObject(value) && isIndex(value.query) && isIndex(value.key) && (value.dim === undefined || isIndex(value.dim))),
};

/** @param {any} upload */
function isUpload(upload) {
  const { id, name, size, beside, options, shapes, run } = isObject(upload) ? upload : {};
  const sound = isText(id) && /^[0-9a-f]{64}$/.test(id) && isText(name) && isIndex(size) && listOf(isText)(beside);
  if (run !== undefined && !isRun(run)) return false;
  return sound && isObject(options) && Object.values(options).every(isText) && isObject(shapes) && Object.values(shapes).every(listOf(isIndex));
}

/** @param {any} run */
function isRun(run) {
  return isObject(run) && isText(run.model) && someOf(isText)(run.text) && (run.layers === null || Array.isArray(run.layers));
}

/** @param {any} range */
function isRange(range) {
  return listOf(isIndex)(range) && range.length === 2 && range[0] < range[1];
}

/** @param {any} row */
function cellsOf(row) {
  return row.cells;
}

/** @param {any} item */
function isSequence(item) {
  return isObject(item) && someOf(isRow)(item.tokens) && listOf(isRow)(item.memory);
}

/** @param {any} row */
function isRow(row) {
  return isObject(row) && isText(row.label) && someOf(isText)(row.cells);
}

/** @param {any} heads */
function isHeads(heads) {
  return someOf(someOf(someOf(isText)))(heads) && sameWidth(heads) && sameWidth(heads.flat());
}

/** @param {any[][]} rows */
function sameWidth(rows) {
  return new Set(rows.map((row) => row.length)).size < 2;
}

/**
 * @param {string} path
 * @param {unknown} value
 * @param {unknown} standard the default that stands there
 */
export function isReadable(path, value, standard) {
  if (CHECKS[path]) return CHECKS[path](value);
  if (CHOICES[path]) return CHOICES[path].includes(/** @type {string} */ (value));
  return typeof standard === "number" ? isIndex(value) : typeof value === typeof standard && !isObject(value);
}
