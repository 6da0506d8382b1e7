/** From what the page remembers to the specification the API takes. */

import { cellValue, numberOrList } from "../numbers.js";
import { headCounts } from "./dimensions.js";
import { biasList, maskList, shared } from "./mask_list.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Specification} Specification */

/**
 * @param {Document} document
 * @returns {Specification}
 */
export function toSpec(document) {
  const { masks: _masks, biases: _biases, ...also } = document.also;
  const masks = listOrRaw(document, "masks", maskList(document).map(({ mask }) => mask));
  const biases = listOrRaw(document, "biases", biasList(document).map(({ bias }) => bias));
  return {
    ...inputFields(document),
    ...headFields(document),
    ...settingFields(document),
    ...(masks.length !== 0 ? { masks } : {}),
    ...(biases.length !== 0 ? { biases } : {}),
    ...also,
  };
}

/**
 * What is no list at all is passed on, so that the server can say so.
 * @param {Document} document
 * @param {"masks" | "biases"} name
 * @param {any[]} list
 * @returns {any}
 */
function listOrRaw(document, name, list) {
  const kept = document.also[name];
  return kept === undefined || Array.isArray(kept) ? list : kept;
}

/**
 * Inputs that are kept aside stand in for the page's own grids.
 * @param {Document} document
 * @returns {Specification}
 */
function inputFields(document) {
  const { also, input } = document;
  if (input.kind === "heads") return "q" in also ? {} : givenFields(document);
  return { ...vectorFields(document, "x"), ...(input.cross ? vectorFields(document, "memory") : {}) };
}

/**
 * @param {Document} document
 * @param {"x" | "memory"} name
 * @returns {Specification}
 */
function vectorFields(document, name) {
  if (name in document.also) return {};
  const [part, labelled] = name === "x" ? /** @type {const} */ (["tokens", "tokens"]) : /** @type {const} */ (["memory", "memory_tokens"]);
  const blocks = document.input.sequences.map((sequence) => sequence[part]);
  return { [name]: single(padded(document, blocks)), ...labelField(labelled, document, blocks.map(labels)) };
}

/** @param {import("./types.js").Block} block */
function labels(block) {
  return block.map((row) => row.label);
}

/**
 * Token vectors of every sequence, the shorter ones filled up with zeros.
 * @param {Document} document
 * @param {import("./types.js").Block[]} blocks
 */
function padded({ input }, blocks) {
  const longest = Math.max(...blocks.map((block) => block.length));
  return blocks.map((block) => {
    const rows = block.map((row) => row.cells.map(cellValue));
    const filling = Array.from({ length: longest - block.length }, () => (rows[0] ?? []).map(() => 0));
    return input.pad_side === "left" ? [...filling, ...rows] : [...rows, ...filling];
  });
}

/**
 * Labels as the API takes them; left out when nobody typed any.
 * @param {string} name
 * @param {Document} document
 * @param {string[][]} lists
 */
function labelField(name, { input }, lists) {
  if (lists.every((list) => list.every((label) => label === ""))) return {};
  const longest = Math.max(...lists.map((list) => list.length));
  const full = lists.map((list) => {
    const own = list.map((label, index) => label || `t${index}`);
    const filling = Array.from({ length: longest - list.length }, (_, index) => input.pad_label || `t${index}`);
    return input.pad_side === "left" ? [...filling, ...own] : [...own, ...filling];
  });
  return { [name]: shared(full) };
}

/** @param {Document} document */
function givenFields(document) {
  const { given } = document.input;
  const { H, K } = headCounts(document);
  /** @param {"q" | "k" | "v"} name @param {number} heads */
  const stack = (name, heads) =>
    stacked(given.map((item) => item[name].slice(0, heads).map((head) => head.map((row) => row.map(cellValue)))));
  return {
    q: stack("q", H),
    k: stack("k", K),
    v: stack("v", K),
    ...labelField("tokens", document, given.map((item) => item.queries)),
    ...(document.input.cross ? labelField("memory_tokens", document, given.map((item) => item.keys)) : {}),
  };
}

/**
 * [B][heads][T][D], with the axes of length 1 left out from the front only.
 * @template T
 * @param {T[][]} items
 */
function stacked(items) {
  return items.length === 1 ? single(items[0]) : items;
}

/**
 * One item stands without its list: `[T][E]` rather than `[1][T][E]`.
 * @template T
 * @param {T[]} items
 * @returns {T | T[]}
 */
function single(items) {
  return items.length === 1 ? items[0] : items;
}

/** @param {Document} document */
function headFields({ input, heads }) {
  if (input.kind === "heads") return {};
  return {
    num_heads: cellValue(heads.num_heads),
    num_kv_heads: cellValue(heads.num_kv_heads),
    ...(heads.head_dim.trim() ? { head_dim: cellValue(heads.head_dim) } : {}),
    ...(heads.value_dim.trim() ? { value_dim: cellValue(heads.value_dim) } : {}),
  };
}

/**
 * Only what differs from the API's own defaults, so that the specification stays readable.
 * @param {Document} document
 */
function settingFields(document) {
  const { input, settings } = document;
  const { H } = headCounts(document);
  const { scale, fill, rope, qk_norm: norm, sinks, dropout } = settings;
  /** @type {[string, boolean, () => unknown][]} */
  const fields = [
    ["projection", input.kind === "vectors", () => projection(settings.projection)],
    ["scale", scale.mode !== "default", () => (scale.mode === "one" ? 1 : cellValue(scale.value))],
    ["softcap", settings.softcap.trim() !== "", () => cellValue(settings.softcap)],
    ["fill", fill.mode !== "-Infinity", () => cellValue(fill.mode === "custom" ? fill.value : fill.mode)],
    ["mask_order", settings.mask_order !== "before_softmax", () => settings.mask_order],
    ["fully_masked", settings.fully_masked !== "zero", () => settings.fully_masked],
    ["rope", rope.on, () => ({ style: rope.style, ...(rope.base.trim() ? { base: cellValue(rope.base) } : {}) })],
    ["qk_norm", norm.on, () => (norm.eps.trim() ? { eps: cellValue(norm.eps) } : {})],
    ["sinks", sinks.on, () => sinkLogits(sinks.values, H)],
    ["dropout", dropout.on, () => ({ p: cellValue(dropout.p), seed: cellValue(dropout.seed) })],
    ["dtype", settings.dtype !== "float32", () => settings.dtype],
  ];
  return Object.fromEntries(fields.filter(([, on]) => on).map(([name, , value]) => [name, value()]));
}

/**
 * One number stands for every head.
 * @param {string} text
 * @param {number} H
 */
function sinkLogits(text, H) {
  const logits = [numberOrList(text)].flat();
  return logits.length === 1 ? Array(H).fill(logits[0]) : logits;
}

/** @param {Document["settings"]["projection"]} projection */
function projection({ kind, seed, bias }) {
  return kind === "identity" ? { kind } : { kind, seed: cellValue(seed), bias };
}
