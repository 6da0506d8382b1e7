/** Numbers as text: JSON, nested lists as Python prints them, or a table. */

import { cellValue } from "./numbers.js";
import { parsePaste } from "./paste.js";

/** Brackets, commas, and words between them. */
const PARTS = /[[\]]|[^\s,[\]]+/g;

/** Python's sign for numbers that it left out. */
export class ElidedError extends Error {}

/**
 * @param {string} text
 * @returns {any} nested lists, or an object as the API takes it; null where it is neither
 * @throws {ElidedError} where numbers were left out in printing
 */
export function readNumbers(text) {
  const json = parsed(text);
  if (json !== undefined) return typeof json === "object" ? json : [json];
  const [start, end] = [text.indexOf("["), text.lastIndexOf("]")];
  if (start >= 0) return end > start ? nestedLists(text.slice(start, end + 1)) : null;
  return parsePaste(text)?.cells.map((row) => row.map(cellValue)) ?? null;
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} text from the first bracket to the last
 * @returns {any[] | null} null where brackets do not match
 */
function nestedLists(text) {
  /** @type {any[][]} */
  const open = [[]];
  for (const [part] of text.matchAll(PARTS)) {
    if (/^(\.\.\.|…)$/.test(part)) throw new ElidedError();
    if (part === "[") open.push([]);
    else if (part !== "]") open[open.length - 1].push(cellValue(part.replace(/^(["'])(.*)\1$/, "$2")));
    else if (open.length < 2) return null;
    else {
      const list = open.pop();
      open[open.length - 1].push(list);
    }
  }
  return open.length === 1 && open[0].length === 1 && Array.isArray(open[0][0]) ? open[0][0] : null;
}
