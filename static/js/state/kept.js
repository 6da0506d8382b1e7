/** What a link, a file and the browser's storage keep: one line a value that differs from the defaults. */

import { defaultCompare, defaultDocument, defaultOwnNumbers, defaultTools, defaultView } from "./defaults.js";
import { isReadable } from "./kept_values.js";
import { getPath, setPath } from "./paths.js";
import { toSpec } from "./to_spec.js";

/** @typedef {import("./types.js").Document} Document */

/**
 * @typedef {object} Kept
 * @property {Document} document
 * @property {import("./types.js").View} view
 * @property {import("./types.js").Compare} compare
 * @property {import("./types.js").OwnNumbers} own
 * @property {import("./types.js").Tools} tools
 * @property {import("./types.js").Cell | null} cell the pinned one
 */

/** The values that hold the input's own numbers. */
const NUMBERS = ["document.input.sequences", "document.input.given", "document.also"];
/** Whole values, though they are objects. */
const WHOLE = ["document.also"];

/** @returns {Kept} */
export function defaults() {
  return { document: defaultDocument(), view: defaultView(), compare: defaultCompare(), own: defaultOwnNumbers(), tools: defaultTools(), cell: null };
}

/**
 * @param {Pick<import("../store.js").AppState, "document" | "view" | "compare" | "own" | "tools" | "cursor" | "pinned">} state
 * @returns {Kept}
 */
export function keptOf({ document, view, compare, own, tools, cursor, pinned }) {
  return { document, view, compare, own, tools, cell: pinned ? cursor : null };
}

/**
 * The part of the page's state that was kept.
 * @param {Kept} kept
 */
export function stateOf({ document, view, compare, own, tools, cell }) {
  return { document, view, compare, own, tools, cursor: cell, pinned: cell !== null };
}

/**
 * One line each, the longest last: a link that was cut off then loses as little as possible.
 * @param {Kept} kept
 */
export function toLines(kept) {
  const standard = defaults();
  const lines = pathsOf(standard).flatMap((path) => {
    const value = getPath(kept, path);
    const same = JSON.stringify(value) === JSON.stringify(getPath(standard, path));
    return same || value === undefined ? [] : [JSON.stringify([path, value])];
  });
  return lines.sort((one, other) => one.length - other.length).join("\n");
}

/**
 * Every line that can be read, over the defaults; the others by name.
 * @param {string} text
 * @param {boolean} [cut] whether the end is missing
 * @returns {{kept: Kept, unread: string[]}}
 */
export function fromLines(text, cut = false) {
  const known = new Set(pathsOf(defaults()));
  const lines = text.split("\n").filter(Boolean).map(parse);
  /** @type {string[]} */
  const unread = [];
  let kept = defaults();
  for (const [path, value] of lines) {
    if (known.has(path) && isReadable(path, value, getPath(kept, path))) kept = setPath(kept, path, value);
    else unread.push(path);
  }
  if (cut && !lines.some(([path]) => NUMBERS.includes(path))) unread.push("document.input");
  return sound(unread.some(isInput) ? withoutInput(kept) : kept, unread);
}

/** @param {string} path */
function isInput(path) {
  return path.startsWith("document.input");
}

/**
 * Counts of heads and lists of lengths belong to their input: without it they fit nothing.
 * @param {Kept} kept
 */
function withoutInput(kept) {
  const { settings, masks } = kept.document;
  const { padding, documents, drawn } = defaultDocument().masks;
  return { ...kept, document: { ...defaultDocument(), settings, masks: { ...masks, padding, documents, drawn } } };
}

/**
 * @param {string} line
 * @returns {[string, any]} of a broken line only what its path seems to be
 */
function parse(line) {
  try {
    const [path, value] = JSON.parse(line);
    return [String(path), value];
  } catch {
    return [line.match(/^\["([\w.]+)"/)?.[1] ?? "?", undefined];
  }
}

/**
 * Parts that are readable alone but make no document together are left out.
 * @param {Kept} kept
 * @param {string[]} unread
 */
function sound(kept, unread) {
  const { input } = kept.document;
  const standard = defaultDocument();
  const noMemory = input.kind === "vectors" && input.cross && input.sequences.some(({ memory }) => memory.length === 0);
  const checked = noMemory ? withoutInput(kept) : kept;
  const found = noMemory ? [...unread, "document.input"] : unread;
  try {
    toSpec(checked.document);
    return { kept: checked, unread: found };
  } catch {
    return { kept: { ...checked, document: standard }, unread: [...found, "document"] };
  }
}

/**
 * Dotted paths of all values; lists are values.
 * @param {any} value
 * @param {string} path
 * @returns {string[]}
 */
function pathsOf(value, path = "") {
  const plain = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!plain || WHOLE.includes(path)) return [path];
  return Object.keys(value).flatMap((name) => pathsOf(value[name], path ? `${path}.${name}` : name));
}
