/** What a step's numbers are made from: the run on show, and one sequence and head of it. */

import { headRows } from "../../tensors.js";

/**
 * @typedef {object} Context
 * @property {import("../../state/types.js").Specification} spec
 * @property {import("../../api/answer.js").Answer} answer
 * @property {import("../../state/types.js").Document} document
 * @property {import("../../state/types.js").View} view
 * @property {import("../../state/types.js").Cell | null} cell the pinned one
 */

/**
 * @template Found
 * @typedef {object} Evidence
 * @property {(context: Context, signal: AbortSignal) => Promise<Found>} ask
 * @property {(found: Found, context: Context & {palette: import("../../figures/palette.js").Palette}, draw: Draw) => Node[]} show
 */

/** @typedef {(label: string, figure: (width: number) => import("../../plot.js").Figure) => HTMLElement} Draw a picture, drawn once it has its place */

/** Beyond so many cells a step tells its numbers of a part, or not at all. */
export const MOST_CELLS = 4096;
/** Rows and columns of a table that one still reads. */
export const MOST_ROWS = 8;

/**
 * Rows of the selected head of the selected sequence.
 * @param {Context} context
 * @param {string} name of a tensor with heads
 */
export function rowsOf({ answer, view }, name) {
  return headRows(answer.tensors[name], view.batch, view.head);
}

/**
 * @param {Context} context
 * @param {"queries" | "keys"} which
 * @param {number} index
 * @returns {string}
 */
export function labelOf({ answer, view }, which, index) {
  const lists = answer.tokens[which];
  return (lists[view.batch] ?? lists[0])[index];
}

/** @param {Context} context */
export function sizeOf({ answer }) {
  const [B, H, T, S] = answer.tensors.weights.shape;
  return { B, H, T, S, cells: B * H * T * S };
}
