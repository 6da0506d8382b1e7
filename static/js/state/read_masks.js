/** The masks of a specification as the page's controls; the others stay aside as they came. */

import { textOf } from "../numbers.js";
import { dimensions } from "./dimensions.js";
import { sideOf, unpad } from "./read_input.js";
import { rectangle } from "./read_tensor.js";

/** @typedef {import("./types.js").Document} Document */

/**
 * @callback Reader
 * @param {Document} document
 * @param {Record<string, any>} mask
 * @returns {Document | null} null where the control cannot say this mask
 */

/** @type {Record<string, [keyof Document["masks"], Reader]>} */
const READERS = {
  causal: ["causal", readCausal],
  padding: ["padding", readPadding],
  window: ["window", readWindow],
  prefix: ["prefix", readPrefix],
  documents: ["documents", readDocuments],
  matrix: ["drawn", readMatrix],
};

/**
 * @param {Document} document
 * @param {unknown} masks
 * @returns {Document}
 */
export function readMasks(document, masks) {
  if (masks === undefined || masks === null) return document;
  if (!Array.isArray(masks)) return aside(document, masks);
  const used = new Set();
  const kept = [];
  let result = document;
  for (const mask of masks) {
    const known = Object.hasOwn(READERS, mask?.kind) ? READERS[mask.kind] : null;
    const next = known && !used.has(known[0]) ? known[1](result, withoutNulls(mask)) : null;
    if (next) used.add(known?.[0]);
    else kept.push(mask);
    result = next ?? result;
  }
  return kept.length ? aside(result, kept) : result;
}

/**
 * @param {Document} document
 * @param {unknown} masks
 */
function aside(document, masks) {
  return { ...document, also: { ...document.also, masks } };
}

/** @param {Record<string, any>} mask */
function withoutNulls(mask) {
  return Object.fromEntries(Object.entries(mask).filter(([, value]) => value !== null));
}

/**
 * @param {Document} document
 * @param {Record<string, unknown>} masks
 */
function withMask(document, masks) {
  return { ...document, masks: { ...document.masks, ...masks } };
}

/** @type {Reader} */
function readCausal(document, { kind: _kind, alignment, offset, ...other }) {
  if (Object.keys(other).length || (alignment !== undefined && offset !== undefined)) return null;
  const { causal } = document.masks;
  if (offset !== undefined) {
    const text = integersText(offset);
    return text === null ? null : withMask(document, { causal: { on: true, alignment: "offset", offset: text } });
  }
  if (![undefined, "top_left", "bottom_right"].includes(alignment)) return null;
  return withMask(document, { causal: { ...causal, on: true, alignment: alignment ?? "default" } });
}

/** @type {Reader} */
function readWindow(document, { kind: _kind, left = "", right = "", offset = "", ...other }) {
  const texts = [left, right, offset].map(integersText);
  if (Object.keys(other).length || texts.includes(null)) return null;
  return withMask(document, { window: { on: true, left: texts[0], right: texts[1], offset: texts[2] } });
}

/** @type {Reader} */
function readPrefix(document, { kind: _kind, length, offset = "", ...other }) {
  const texts = [length, offset].map(integersText);
  if (Object.keys(other).length || texts.includes(null)) return null;
  return withMask(document, { prefix: { on: true, length: texts[0], offset: texts[1] } });
}

/**
 * One number, or one per sequence, as it is typed; null for anything else.
 * @param {unknown} value
 */
function integersText(value) {
  const items = Array.isArray(value) ? value : [value];
  const plain = items.every((item) => typeof item === "number" || typeof item === "string");
  return plain && !(Array.isArray(value) && value.length < 2) ? items.join(", ") : null;
}

/** @type {Reader} */
function readDocuments(document, { kind: _kind, ids, ...other }) {
  const { B, S } = dimensions(document);
  const shape = rectangle(ids);
  const fits = shape && (String(shape) === String([S]) || String(shape) === String([B, S]));
  if (Object.keys(other).length || !fits) return null;
  const rows = shape.length === 2 ? ids : Array.from({ length: B }, () => ids);
  return withMask(document, { documents: { on: true, ids: rows.map((/** @type {any[]} */ row) => row.map(textOf)) } });
}

/** @type {Reader} */
function readMatrix(document, { kind: _kind, convention, values, ...other }) {
  const { T, S } = dimensions(document);
  if (Object.keys(other).length || convention !== "allowed") return null;
  if (String(rectangle(values)) !== String([T, S]) || !values.flat().every(isFlag)) return null;
  const allowed = values.map((/** @type {any[]} */ row) => row.map(Boolean));
  return withMask(document, { drawn: { on: true, allowed } });
}

/** @param {unknown} value */
function isFlag(value) {
  return [true, false, 0, 1].includes(/** @type {any} */ (value));
}

/** @type {Reader} */
function readPadding(document, { kind: _kind, lengths, keep, ...other }) {
  if (Object.keys(other).length || (lengths === undefined) === (keep === undefined)) return null;
  const rows = keep === undefined ? keepFromLengths(document, lengths) : keepRows(document, keep);
  if (!rows) return null;
  const { padding } = document.masks;
  const side = sideOf(rows);
  const shorter = unpad(document, rows);
  // A one-sided filling is written as lengths again on the right, and as a keep list on the left.
  const same = keep === undefined ? side === "right" : side !== "right";
  if (shorter && same) return withMask(shorter, { padding: { ...padding, on: true, mode: "auto" } });
  const { P } = dimensions(document);
  if (keep === undefined) {
    const texts = lengths.map((/** @type {number} */ length) => String(length - P));
    return withMask(document, { padding: { ...padding, on: true, mode: "lengths", lengths: texts } });
  }
  if (rows.some((row) => row.slice(0, P).includes(false))) return null;
  return withMask(document, { padding: { ...padding, on: true, mode: "keep", keep: rows.map((row) => row.slice(P)) } });
}

/**
 * @param {Document} document
 * @param {unknown} lengths
 * @returns {boolean[][] | null}
 */
function keepFromLengths(document, lengths) {
  const { B, S, P } = dimensions(document);
  if (!Array.isArray(lengths) || lengths.length !== B) return null;
  if (!lengths.every((length) => Number.isInteger(length) && length >= P && length <= S)) return null;
  return lengths.map((length) => Array.from({ length: S }, (_, key) => key < length));
}

/**
 * @param {Document} document
 * @param {any} keep
 * @returns {boolean[][] | null}
 */
function keepRows(document, keep) {
  const { B, S } = dimensions(document);
  if (String(rectangle(keep)) !== String([B, S]) || !keep.flat().every(isFlag)) return null;
  return keep.map((/** @type {any[]} */ row) => row.map(Boolean));
}
