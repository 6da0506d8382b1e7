/** What each stage's picture shows: which axes it has, and where its rows are in the answer. */

import { STAGES } from "../state/stages.js";
import { headRows } from "../tensors.js";

/** @typedef {import("../api/answer.js").Answer} Answer */
/** @typedef {import("../tensors.js").Numbers} Numbers */
/** @typedef {Record<string, import("../tensors.js").Tensor>} Tensors */

/**
 * The stage on show, as far as this run has it.
 * @param {Pick<Answer, "steps">} answer
 * @param {string} wanted
 */
export function stageOf(answer, wanted) {
  return answer.steps.some(({ name }) => name === wanted) || answer.steps.length === 0 ? wanted : "weights";
}

/**
 * One query head's part of a stage, as served; rows share the answer's memory.
 * @param {Answer} answer
 * @param {string} name
 * @param {number} batch
 * @param {number} head
 * @returns {Numbers[]}
 */
export function stageRows({ tensors, layout }, name, batch, head) {
  const { tensor, heads, kind } = STAGES[name];
  const found = tensors[tensor];
  if (kind === "strip") return headRows({ ...found, shape: [...found.shape.slice(0, 2), 1, found.shape[2]] }, batch, head);
  if (heads === "none") return headRows({ ...found, shape: [found.shape[0], 1, ...found.shape.slice(1)] }, batch, 0);
  return headRows(found, batch, heads === "kv" ? layout.kv_head_of[head] : head);
}

/**
 * Labels of a picture's rows and columns.
 * @param {Answer} answer
 * @param {string} name
 * @param {number} batch
 * @param {number} width columns it has
 */
export function stageLabels({ tokens }, name, batch, width) {
  const { rows, columns } = STAGES[name];
  const queries = tokens.queries[batch] ?? tokens.queries[0];
  const keys = tokens.keys[batch] ?? tokens.keys[0];
  const numbers = () => Array.from({ length: width }, (_, dim) => String(dim));
  return {
    rows: rows === "query" ? queries : rows === "key" ? keys : [name],
    columns: columns === "key" ? keys : columns === "query" ? queries : numbers(),
  };
}

/**
 * Which heads have tiles: a KV head where the first of its query heads stands in the order.
 * @param {Answer} answer
 * @param {string} name
 * @param {number[]} order query heads in the order they are shown
 * @returns {number[]} one query head of each tile
 */
export function tileHeads({ layout }, name, order) {
  const { heads } = STAGES[name];
  if (heads === "query") return order;
  if (heads === "none") return [0];
  const groups = order.map((head) => layout.kv_head_of[head]);
  return order.filter((_, place) => groups.indexOf(groups[place]) === place);
}

/**
 * Rows and columns of the cell that a cursor stands on; null where the picture lacks the axis or the cursor has none.
 * @param {string} name
 * @param {import("../state/types.js").Cell} cursor
 */
export function placeOf(name, cursor) {
  const { rows, columns } = STAGES[name];
  return { row: rows === "" ? 0 : cursor[rows], column: columns === "dim" ? (cursor.dim ?? null) : cursor[columns] };
}

/**
 * The cursor moved to a cell of one picture; what the picture has no axis for stays where it was.
 * @param {string} name
 * @param {import("../state/types.js").Cell | null} cursor
 * @param {number} row
 * @param {number} column
 * @returns {import("../state/types.js").Cell}
 */
export function cursorAt(name, cursor, row, column) {
  const { rows, columns } = STAGES[name];
  return { query: cursor?.query ?? 0, key: cursor?.key ?? 0, ...(rows === "" ? {} : { [rows]: row }), [columns]: column };
}
