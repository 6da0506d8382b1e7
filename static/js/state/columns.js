/** Adding, removing and moving dimensions, the same in every place that shares them. */

import { move, removeAt } from "./blocks.js";
import { blockAt } from "./grids.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./grids.js").GridPlace} GridPlace */
/** @typedef {{kind: "insert", at: number} | {kind: "remove", at: number} | {kind: "move", from: number, to: number}} ColumnEdit */

/**
 * x shares its dimensions over all sequences, memory likewise; q and k share theirs, as they meet
 * in a dot product; v has its own.
 * @param {Document} document
 * @param {GridPlace} place
 * @param {ColumnEdit} edit
 * @returns {Document}
 */
export function editColumns(document, place, edit) {
  const width = blockAt(document, place)[0].cells.length;
  if (edit.kind === "remove" && width === 1) return document;
  if (edit.kind === "move" && (edit.to < 0 || edit.to >= width)) return document;
  const { input } = document;
  const { name } = place;
  const changed = name === "x" || name === "memory" ? vectors(input, name, edit) : heads(input, name, edit);
  return { ...document, input: { ...input, ...changed } };
}

/**
 * @param {Document["input"]} input
 * @param {"x" | "memory"} name
 * @param {ColumnEdit} edit
 */
function vectors({ sequences }, name, edit) {
  const part = name === "x" ? "tokens" : "memory";
  return {
    sequences: sequences.map((sequence) => ({
      ...sequence,
      [part]: sequence[part].map((row) => ({ ...row, cells: apply(row.cells, edit) })),
    })),
  };
}

/**
 * @param {Document["input"]} input
 * @param {"q" | "k" | "v"} name
 * @param {ColumnEdit} edit
 */
function heads({ given }, name, edit) {
  /** @param {import("./types.js").HeadCells} cells */
  const all = (cells) => cells.map((head) => head.map((row) => apply(row, edit)));
  return {
    given: given.map((item) => (name === "v" ? { ...item, v: all(item.v) } : { ...item, q: all(item.q), k: all(item.k) })),
  };
}

/**
 * @param {string[]} cells
 * @param {ColumnEdit} edit
 */
function apply(cells, edit) {
  if (edit.kind === "insert") return [...cells.slice(0, edit.at), "0", ...cells.slice(edit.at)];
  return edit.kind === "remove" ? removeAt(cells, edit.at) : move(cells, edit.from, edit.to);
}
