/** The page's one cursor in the pictures of the comparison, and the cell's numbers in A, B and A − B. */

import { byId } from "../dom.js";
import { comparedRows, differenceRun } from "../figures/compare.js";
import { placeOf, stageLabels } from "../figures/stages.js";
import { exact } from "../numbers.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { mountFrameCursor } from "./frame_cursor.js";
import { SIDES } from "./side_by_side.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/comparison.js").Comparison} Comparison */

/** @typedef {import("./side_by_side.js").Tab} Tab */

/**
 * @param {Store} store
 * @param {() => Comparison | null} comparison
 * @param {Tab} tab whose pictures they are
 */
export function mountCompareCursor(store, comparison, tab) {
  const marks = SIDES.map((side) => mountFrameCursor(store, { id: `${tab}-${side}`, stage: () => comparison()?.stage ?? "weights" }));
  return {
    render: () => {
      const found = comparison();
      if (!found) return;
      marks.forEach((mark) => mark());
      byId(`${tab}-readout`).textContent = readout(store, found, tab);
    },
  };
}

/**
 * @param {Store} store
 * @param {Comparison} found
 * @param {Tab} tab
 */
function readout(store, found, tab) {
  const { cursor, view } = store.get();
  const { stage } = found;
  const place = cursor && placeOf(stage, cursor);
  if (!place || place.column === null) return t("selected.hint");
  const { row, column } = place;
  const value = (/** @type {import("../api/answer.js").Answer | null} */ run) => valueAt(run, stage, view, row, column);
  const labels = stageLabels(found.a, stage, view.batch, column + 1);
  const names = { row: labels.rows[row] ?? row, column: labels.columns[column] ?? column };
  return t(`${tab}.readout`, { ...names, a: value(found.a), b: value(found.b), difference: value(differenceRun(found, stage)) });
}

/**
 * @param {import("../api/answer.js").Answer | null} run
 * @param {string} stage
 * @param {{batch: number, head: number}} view
 * @param {number} row
 * @param {number} column
 */
function valueAt(run, stage, { batch, head }, row, column) {
  const value = run && comparedRows(run, stage, batch, Math.min(head, run.layout.num_heads - 1))[row]?.[column];
  if (value === null || value === undefined) return "–";
  const whole = STAGES[stage].kind === "masks";
  return exact(value, !whole && run?.tensors[stage].dtype === "f4");
}
