/** From what the page remembers to the specification the API takes. */

import { cellValue, numberOrList } from "../numbers.js";
import { dimensions, headCounts } from "./dimensions.js";
import { paddingMask } from "./padding.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Specification} Specification */

/** Fields that say the input; one of them kept aside stands in for the page's own grids. */
const INPUTS = ["x", "q", "k", "v"];

/**
 * @param {Document} document
 * @returns {Specification}
 */
export function toSpec(document) {
  const { masks: _masks, biases: _biases, ...also } = document.also;
  const masks = listOrRaw(document, "masks", maskList(document).map(({ mask }) => mask));
  const biases = listOrRaw(document, "biases", biasList(document).map(({ bias }) => bias));
  return {
    ...(INPUTS.some((name) => name in also) ? {} : inputFields(document)),
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
 * Every mask in the order it is sent, with the state path of the control it comes from.
 * @param {Document} document
 * @returns {{path: string, mask: Record<string, any>}[]}
 */
export function maskList(document) {
  const { causal, window, prefix, documents, drawn } = document.masks;
  const padding = paddingMask(document);
  /** @type {[string, boolean, () => Record<string, any>][]} */
  const own = [
    ["causal", causal.on, () => causalMask(causal)],
    ["padding", padding !== null, () => padding ?? {}],
    ["window", window.on, () => ({ kind: "window", ...bounds(window), ...offset(window.offset) })],
    ["prefix", prefix.on, () => ({ kind: "prefix", length: numberOrList(prefix.length), ...offset(prefix.offset) })],
    ["documents", documents.on, () => ({ kind: "documents", ids: documentIds(document) })],
    ["drawn", drawn.on, () => ({ kind: "matrix", convention: "allowed", values: drawnCells(document) })],
  ];
  const kept = also(document, "masks").map((mask, index) => ({ path: `also.masks.${index}`, mask }));
  return [...own.filter(([, on]) => on).map(([name, , mask]) => ({ path: `masks.${name}`, mask: mask() })), ...kept];
}

/**
 * @param {Document} document
 * @returns {{path: string, bias: Record<string, any>}[]}
 */
export function biasList(document) {
  const own = document.settings.alibi.on ? [{ path: "settings.alibi", bias: { kind: "alibi" } }] : [];
  return [...own, ...also(document, "biases").map((bias, index) => ({ path: `also.biases.${index}`, bias }))];
}

/**
 * @param {Document} document
 * @param {string} name
 * @returns {any[]}
 */
function also(document, name) {
  const items = document.also[name];
  return Array.isArray(items) ? items : [];
}

/** @param {Document["masks"]["causal"]} causal */
function causalMask({ alignment, offset: text }) {
  if (alignment === "default") return { kind: "causal" };
  return alignment === "offset" ? { kind: "causal", offset: numberOrList(text) } : { kind: "causal", alignment };
}

/** @param {{left: string, right: string}} window an empty side is open, and an open side is left out */
function bounds({ left, right }) {
  return { ...(left.trim() ? { left: cellValue(left) } : {}), ...(right.trim() ? { right: cellValue(right) } : {}) };
}

/** @param {string} text */
function offset(text) {
  return text.trim() ? { offset: numberOrList(text) } : {};
}

/**
 * [S] when all sequences share their ids, else [B][S].
 * @param {Document} document
 */
function documentIds(document) {
  const { B, S } = dimensions(document);
  const ids = Array.from({ length: B }, (_, item) =>
    Array.from({ length: S }, (__, key) => cellValue(documentId(document, item, key))),
  );
  return shared(ids);
}

/**
 * The id typed for a token; tokens beyond the typed ones belong to the last document.
 * @param {Document} document
 * @param {number} item
 * @param {number} key
 */
export function documentId(document, item, key) {
  const ids = document.masks.documents.ids[item] ?? [];
  return ids[key] ?? ids.at(-1) ?? "0";
}

/**
 * [T][S], true where a query may read; cells never drawn are open.
 * @param {Document} document
 * @returns {boolean[][]}
 */
export function drawnCells(document) {
  const { T, S } = dimensions(document);
  const { allowed } = document.masks.drawn;
  return Array.from({ length: T }, (_, t) => Array.from({ length: S }, (__, s) => allowed[t]?.[s] ?? true));
}

/**
 * @param {Document} document
 * @returns {Specification}
 */
function inputFields(document) {
  return document.input.kind === "heads" ? givenFields(document) : vectorFields(document);
}

/** @param {Document} document */
function vectorFields(document) {
  const { input } = document;
  const tokens = input.sequences.map((sequence) => sequence.tokens);
  const memory = input.sequences.map((sequence) => sequence.memory);
  return {
    x: single(padded(document, tokens)),
    ...(input.cross ? { memory: single(padded(document, memory)) } : {}),
    ...labelField("tokens", document, tokens.map(labels)),
    ...(input.cross ? labelField("memory_tokens", document, memory.map(labels)) : {}),
  };
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

/**
 * One list for all where all are the same.
 * @template T
 * @param {T[][]} lists
 * @returns {T[] | T[][]}
 */
function shared(lists) {
  return lists.every((list) => JSON.stringify(list) === JSON.stringify(lists[0])) ? lists[0] : lists;
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
