/** Which keys are real tokens: read off unequal sequences, or said by hand. */

import { cellValue } from "../numbers.js";
import { dimensions, keyLengths } from "./dimensions.js";

/** @typedef {import("./types.js").Document} Document */

/**
 * The padding mask as a specification, or null where there is nothing to mask.
 * @param {Document} document
 * @returns {Record<string, any> | null}
 */
export function paddingMask(document) {
  const { padding } = document.masks;
  if (!paddingIsOn(document)) return null;
  if (padding.mode === "keep" || document.input.pad_side === "left") {
    if (lengthsAreSound(document)) return { kind: "padding", keep: keepOf(document) };
  }
  const { P } = dimensions(document);
  const lengths = lengthValues(document);
  return { kind: "padding", lengths: lengths.map((value) => (typeof value === "number" ? value + P : value)) };
}

/**
 * Whether the padding mask is at work: it hides filling, or somebody said which tokens are real.
 * @param {Document} document
 */
export function paddingIsOn(document) {
  const { on, mode } = document.masks.padding;
  return on && (mode !== "auto" || ragged(document));
}

/**
 * Switched on where nothing is filled up, it starts from the sequences' own lengths.
 * @param {Document} document
 * @param {boolean} on
 * @returns {Document}
 */
export function switchPadding(document, on) {
  const { padding } = document.masks;
  const mode = on && padding.mode === "auto" && !ragged(document) ? "lengths" : padding.mode;
  return { ...document, masks: { ...document.masks, padding: { ...padding, on, mode } } };
}

/** @param {Document} document */
export function ragged(document) {
  return new Set(keyLengths(document)).size > 1;
}

/**
 * Real tokens per sequence, the cache not counted: as typed, else the sequence's own length.
 * @param {Document} document
 * @returns {(number | string)[]}
 */
export function lengthValues(document) {
  const { mode, lengths } = document.masks.padding;
  return keyLengths(document).map((own, item) =>
    mode === "lengths" && lengths[item]?.trim() ? cellValue(lengths[item]) : own,
  );
}

/** @param {Document} document */
function lengthsAreSound(document) {
  const { S } = dimensions(document);
  return lengthValues(document).every((value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= S);
}

/**
 * [B][S]: true for a real token. Cached keys are real.
 * @param {Document} document
 * @returns {boolean[][]}
 */
export function keepOf(document) {
  const { B, S, P } = dimensions(document);
  const { padding } = document.masks;
  const lengths = lengthValues(document).map(Number);
  return Array.from({ length: B }, (_, item) =>
    Array.from({ length: S }, (__, key) => {
      if (key < P) return true;
      if (padding.mode === "keep") return padding.keep[item]?.[key - P] ?? true;
      const position = key - P;
      return document.input.pad_side === "left" ? position >= S - P - lengths[item] : position < lengths[item];
    }),
  );
}
