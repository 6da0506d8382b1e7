/** The page's one cursor in the pictures of the comparison, and the cell's numbers in A, B and A − B. */

import { byId, required } from "../dom.js";
import { cursorAt, placeOf, stageLabels, stageRows } from "../figures/stages.js";
import { exact } from "../numbers.js";
import { onPress, pixelsOf, pointAt } from "../plot.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { moveBy, sameCell, stepOf } from "./cursor_keys.js";
import { SIDES } from "./side_by_side.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Cell} Cell */
/** @typedef {import("../api/comparison.js").Comparison} Comparison */
/** @typedef {import("../plot.js").GraphElement & {data?: any[]}} Graph */

/** @typedef {import("./side_by_side.js").Tab} Tab */

/**
 * @param {Store} store
 * @param {() => Comparison | null} comparison
 * @param {Tab} tab whose pictures they are
 */
export function mountCompareCursor(store, comparison, tab) {
  const pictures = SIDES.map((side) => `${tab}-${side}`);
  for (const name of pictures) listen(store, name, () => comparison()?.stage ?? "weights");
  return {
    render: () => {
      const found = comparison();
      if (!found) return;
      for (const name of pictures) mark(store, name, found.stage);
      byId(`${tab}-readout`).textContent = readout(store, found, tab);
    },
  };
}

/**
 * @param {Store} store
 * @param {string} name of the picture
 * @param {() => string} stage
 */
function listen(store, name, stage) {
  const frame = byId(`${name}-frame`);
  const move = (/** @type {Cell | null} */ cell) => {
    if (!sameCell(cell, store.get().cursor)) store.set({ cursor: cell });
  };
  const under = (/** @type {MouseEvent} */ event) => {
    const point = pointAt(figureOf(name), event);
    return point && cursorAt(stage(), store.get().cursor, Math.max(0, Math.round(point.y)), Math.max(0, Math.round(point.x)));
  };
  frame.addEventListener("pointermove", (event) => {
    if (!store.get().pinned) move(under(event));
  });
  frame.addEventListener("pointerleave", () => {
    if (!store.get().pinned && document.activeElement !== frame) move(null);
  });
  onPress(frame, (event) => {
    const cell = under(event);
    if (cell) store.set({ cursor: cell, pinned: !(store.get().pinned && sameCell(cell, store.get().cursor)) });
  });
  frame.addEventListener("keydown", (event) => {
    const step = stepOf(event.key);
    const [rows, columns] = sizeOf(name);
    if (step && rows) move(moveBy(stage(), store.get().cursor, step, rows, columns));
    else if ((event.key === "Enter" || event.key === " ") && store.get().cursor) store.set({ pinned: !store.get().pinned });
    else return;
    event.preventDefault();
  });
}

/** @param {string} name of the picture */
function figureOf(name) {
  return /** @type {Graph} */ (byId(`${name}-figure`));
}

/** @param {string} name of the picture */
function sizeOf(name) {
  const z = figureOf(name).data?.[0]?.z ?? [];
  return [z.length, z[0]?.length ?? 0];
}

/**
 * @param {Store} store
 * @param {string} name of the picture
 * @param {string} stage
 */
function mark(store, name, stage) {
  const { cursor, pinned } = store.get();
  const figure = figureOf(name);
  const layer = /** @type {HTMLElement} */ (required(byId(`${name}-frame`).querySelector(".cursor"), "the cursor of a frame"));
  const [rows, columns] = sizeOf(name);
  const place = cursor && placeOf(stage, cursor);
  const seen = place && place.column !== null && place.row < rows && place.column < columns && figure.checkVisibility();
  layer.hidden = !seen;
  layer.classList.toggle("is-pinned", pinned);
  if (!seen || place.column === null) return;
  const { column, row } = place;
  const cell = pixelsOf(figure, { x0: column - 0.5, x1: column + 0.5, y0: row - 0.5, y1: row + 0.5 });
  const whole = pixelsOf(figure, { x0: -0.5, x1: columns - 0.5, y0: -0.5, y1: rows - 0.5 });
  if (!cell || !whole) return;
  lay(layer, ".band-row", { ...cell, left: whole.left, width: whole.width });
  lay(layer, ".band-column", { ...cell, top: whole.top, height: whole.height });
  lay(layer, ".band-cell", cell);
}

/**
 * @param {HTMLElement} layer
 * @param {string} selector
 * @param {Record<string, number>} area
 */
function lay(layer, selector, area) {
  const band = /** @type {HTMLElement} */ (required(layer.querySelector(selector), selector));
  for (const [side, pixels] of Object.entries(area)) band.style.setProperty(side, `${pixels}px`);
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
  const tensors = found.stages[stage] ? { [STAGES[stage].tensor]: found.stages[stage].difference } : null;
  const labels = stageLabels(found.a, stage, view.batch, column + 1);
  const names = { row: labels.rows[row] ?? row, column: labels.columns[column] ?? column };
  return t(`${tab}.readout`, { ...names, a: value(found.a), b: value(found.b), difference: value(tensors && { ...found.a, tensors }) });
}

/**
 * @param {import("../api/answer.js").Answer | null} run
 * @param {string} stage
 * @param {{batch: number, head: number}} view
 * @param {number} row
 * @param {number} column
 */
function valueAt(run, stage, { batch, head }, row, column) {
  const value = run && stageRows(run, stage, batch, Math.min(head, run.layout.num_heads - 1))[row]?.[column];
  return value === null || value === undefined ? "–" : exact(value, run?.tensors[STAGES[stage].tensor].dtype === "f4");
}
