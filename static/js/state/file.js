/** The kept state as a file: readable JSON, and a bare specification is welcome too. */

import { hiddenFault, isTooDeep } from "../json_fault.js";
import { defaultDocument } from "./defaults.js";
import { fromSpec } from "./from_spec.js";
import { fromLines, toLines } from "./kept.js";
import { VERSION } from "./link.js";
import { toSpec } from "./to_spec.js";

/** @typedef {import("./kept.js").Kept} Kept */

const NAME = "attention-visualiser";

/**
 * @param {Kept} kept
 * @returns {string}
 */
export function toFile(kept) {
  const lines = toLines(kept).split("\n").filter(Boolean);
  const state = Object.fromEntries(lines.map((line) => JSON.parse(line)));
  return `${JSON.stringify({ [NAME]: VERSION, state }, null, 1)}\n`;
}

/**
 * @param {string} text
 * @param {Kept} now what a bare specification leaves as it is
 * @returns {{kept: Kept, unread: string[]} | null} null where the file is neither
 */
export function fromFile(text, now) {
  const content = parse(text);
  if (content === null) return null;
  if (content[NAME] === VERSION && typeof content.state === "object" && content.state !== null) {
    return fromLines(Object.entries(content.state).map((entry) => JSON.stringify(entry)).join("\n"));
  }
  if (!("x" in content || "q" in content)) return null;
  try {
    const document = fromSpec(content);
    toSpec(document);
    return { kept: { ...now, document, view: { ...now.view, example: "" } }, unread: [] };
  } catch {
    return { kept: { ...now, document: { ...defaultDocument(), also: content } }, unread: [] };
  }
}

/**
 * @param {string} text
 * @returns {Record<string, any> | null}
 */
function parse(text) {
  try {
    const value = JSON.parse(text);
    if (hiddenFault(text)) return null;
    const object = typeof value === "object" && value !== null && !Array.isArray(value);
    return object && !isTooDeep(value) ? value : null;
  } catch {
    return null;
  }
}
