/** The masks and biases that are sent, each with the control it comes from. */

import { cellValue, numberOrList } from "../numbers.js";
import { dimensions } from "./dimensions.js";
import { paddingMask } from "./padding.js";

/** @typedef {import("./types.js").Document} Document */

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
 * One list for all where all are the same.
 * @template T
 * @param {T[][]} lists
 * @returns {T[] | T[][]}
 */
export function shared(lists) {
  return lists.every((list) => JSON.stringify(list) === JSON.stringify(lists[0])) ? lists[0] : lists;
}
