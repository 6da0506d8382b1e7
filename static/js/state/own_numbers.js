/** Someone's own numbers beside the specification: the body of a check. */

import { ElidedError, readNumbers } from "../printed.js";
import { dimensions } from "./dimensions.js";
import { CHECKED } from "./stages.js";
import { toSpec } from "./to_spec.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").OwnNumbers} OwnNumbers */
/** @typedef {typeof CHECKED[number]} Checked */
/** @typedef {{spec: import("./types.js").Specification, expected: Partial<Record<Checked, any>>, rtol?: number | string, atol?: number | string}} CheckBody */

/** A text that holds no numbers, and whether they were only left out in printing. */
export class NumbersError extends Error {
  /**
   * @param {Checked} name
   * @param {boolean} elided
   */
  constructor(name, elided) {
    super(name);
    this.name = "NumbersError";
    this.tensor = name;
    this.elided = elided;
  }
}

/**
 * @param {OwnNumbers} own
 * @returns {Checked[]} the tensors that numbers were given for
 */
export function givenNames({ given }) {
  return CHECKED.filter((name) => given[name].trim() !== "");
}

/**
 * @param {Document} document
 * @param {OwnNumbers} own
 * @returns {CheckBody | null} null where no numbers were given
 * @throws {NumbersError}
 */
export function checkBody(document, own) {
  const names = givenNames(own);
  if (names.length === 0) return null;
  const single = dimensions(document).B === 1;
  const expected = Object.fromEntries(names.map((name) => [name, withAxes(numbersOf(own.given[name], name), single ? axesOf(name) : 0)]));
  return { spec: toSpec(document), expected, ...tolerance("rtol", own.rtol), ...tolerance("atol", own.atol) };
}

/**
 * @param {"rtol" | "atol"} name
 * @param {string} text what is no number is sent as it is, so that the server can say so
 */
function tolerance(name, text) {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  return { [name]: Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed };
}

/**
 * @param {string} text
 * @param {Checked} name
 */
function numbersOf(text, name) {
  try {
    const found = readNumbers(text);
    if (found === null) throw new NumbersError(name, false);
    return found;
  } catch (error) {
    throw error instanceof ElidedError ? new NumbersError(name, true) : error;
  }
}

/** @param {Checked} name */
function axesOf(name) {
  return name === "output" ? 3 : 4;
}

/**
 * With one sequence in the batch, its axis (and that of a single head) need not be written.
 * @param {any} value
 * @param {number} axes
 */
function withAxes(value, axes) {
  let depth = 0;
  for (let level = value; Array.isArray(level); level = level[0]) depth += 1;
  let full = value;
  for (; depth > 0 && depth < axes; depth += 1) full = [full];
  return full;
}
