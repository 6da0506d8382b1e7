/** Arrays of a specification as grids of text, where a grid can hold them. */

import { shortestFloat32, textOf } from "../numbers.js";
import { decodeTyped, isTyped, nested } from "../tensors.js";

/**
 * Nested lists of cell texts with the given number of axes, one leading axis added for each
 * one left out; null for what no grid can hold (an upload, ragged or empty lists, other axes).
 * @param {unknown} value
 * @param {number} least fewest axes
 * @param {number} axes
 * @returns {any[] | null}
 */
export function cellsOf(value, least, axes) {
  const lists = isTyped(value) ? typedCells(value) : value;
  const shape = rectangle(lists);
  if (!shape || shape.length < least || shape.length > axes) return null;
  let cells = mapLeaves(lists);
  for (let missing = axes - shape.length; missing > 0; missing -= 1) cells = [cells];
  return cells;
}

/** @param {any} value */
function typedCells(value) {
  try {
    const tensor = decodeTyped(value);
    const text = tensor.dtype === "f4" ? shortestFloat32 : String;
    return mapLeaves(nested(tensor), text);
  } catch {
    return null;
  }
}

/**
 * The shape of lists that are full on every axis, else null.
 * @param {any} value
 * @returns {number[] | null}
 */
export function rectangle(value) {
  if (!Array.isArray(value)) return isLeaf(value) ? [] : null;
  const shapes = value.map(rectangle);
  const [first] = shapes;
  if (!first || shapes.some((shape) => String(shape) !== String(first))) return null;
  return [value.length, ...first];
}

/** @param {unknown} value */
function isLeaf(value) {
  return ["number", "string", "boolean"].includes(typeof value);
}

/**
 * @param {any} value
 * @param {(leaf: any) => string} text
 * @returns {any}
 */
function mapLeaves(value, text = textOf) {
  return Array.isArray(value) ? value.map((item) => mapLeaves(item, text)) : text(value);
}
