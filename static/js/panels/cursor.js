/** One cursor in all large pictures, by pointer and by arrow keys; a click or Enter pins it. */

import { wholeAnswer } from "../api/needed.js";
import { byId, required } from "../dom.js";
import { cursorAt, placeOf, stageOf } from "../figures/stages.js";
import { onPress, pixelsOf, pointAt } from "../plot.js";
import { moveBy, sameCell, stepOf } from "./cursor_keys.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Cell} Cell */
/** @typedef {"scores" | "weights" | "stage"} FrameName */

const FRAMES = /** @type {FrameName[]} */ (["scores", "weights", "stage"]);

/** @param {Store} store */
export function mountCursor(store) {
  for (const name of FRAMES) listen(store, name);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && store.get().cursor) store.set({ cursor: null, pinned: false });
  });
  return function render() {
    for (const name of FRAMES) mark(store, name);
  };
}

/**
 * The stage that a frame shows.
 * @param {Store} store
 * @param {FrameName} name
 */
export function stageIn(store, name) {
  const answer = wholeAnswer(store.get());
  return name === "stage" && answer ? stageOf(answer, store.get().view.stage) : name === "stage" ? "weights" : name;
}

/**
 * @param {Store} store
 * @param {FrameName} name
 */
function listen(store, name) {
  const frame = byId(`${name}-frame`);
  frame.addEventListener("pointermove", (event) => {
    if (!store.get().pinned) moveTo(store, name, cellUnder(store, name, event));
  });
  frame.addEventListener("pointerleave", () => {
    if (!store.get().pinned && document.activeElement !== frame) moveTo(store, name, null);
  });
  onPress(frame, (event) => {
    const cell = cellUnder(store, name, event);
    const { cursor, pinned } = store.get();
    if (cell) store.set({ cursor: cell, cursorStage: name, pinned: !(pinned && sameCell(cell, cursor)) });
  });
  frame.addEventListener("keydown", (event) => onKey(store, name, event));
}

/**
 * @param {Store} store
 * @param {FrameName} name
 * @param {MouseEvent} event
 * @returns {Cell | null}
 */
function cellUnder(store, name, event) {
  const figure = figureIn(name);
  const point = pointAt(figure, event);
  const [rows, columns] = sizeOf(figure);
  if (!point || rows === 0) return null;
  const [row, column] = [Math.min(rows - 1, Math.round(point.y)), Math.min(columns - 1, Math.round(point.x))];
  return cursorAt(stageIn(store, name), store.get().cursor, Math.max(0, row), Math.max(0, column));
}

/** @param {FrameName} name */
function figureIn(name) {
  return /** @type {import("../plot.js").GraphElement & {data?: any[]}} */ (byId(`${name}-figure`));
}

/** @param {{data?: any[]}} figure */
function sizeOf(figure) {
  const z = figure.data?.[0]?.z ?? [];
  return [z.length, z[0]?.length ?? 0];
}

/**
 * @param {Store} store
 * @param {FrameName} name
 * @param {Cell | null} cell
 */
function moveTo(store, name, cell) {
  const { cursor, cursorStage } = store.get();
  if (!sameCell(cell, cursor) || cursorStage !== name) store.set({ cursor: cell, cursorStage: name });
}

/**
 * @param {Store} store
 * @param {FrameName} name
 * @param {KeyboardEvent} event
 */
function onKey(store, name, event) {
  const { cursor, pinned } = store.get();
  const step = stepOf(event.key);
  if (step) {
    event.preventDefault();
    const [rows, columns] = sizeOf(figureIn(name));
    if (rows) moveTo(store, name, moveBy(stageIn(store, name), cursor, step, rows, columns));
  } else if ((event.key === "Enter" || event.key === " ") && cursor) {
    event.preventDefault();
    store.set({ pinned: !pinned });
  }
}

/**
 * A picture without the cursor's column (dimensions, where none was pointed at) marks the row alone.
 * @param {Store} store
 * @param {FrameName} name
 */
function mark(store, name) {
  const { cursor, pinned } = store.get();
  const frame = byId(`${name}-frame`);
  const layer = /** @type {HTMLElement} */ (required(frame.querySelector(".cursor"), "the cursor of a frame"));
  const figure = figureIn(name);
  const area = cursor && frame.checkVisibility() ? areaOf(figure, placeOf(stageIn(store, name), cursor)) : null;
  layer.hidden = !area;
  layer.classList.toggle("is-pinned", pinned);
  if (!area) return;
  const whole = axesOf(figure);
  place(layer, ".band-row", { ...area.cell, left: whole.left, width: whole.width });
  place(layer, ".band-column", area.hasColumn ? { ...area.cell, top: whole.top, height: whole.height } : null);
  place(layer, ".band-cell", area.hasColumn ? area.cell : null);
}

/**
 * @param {import("../plot.js").GraphElement & {data?: any[]}} figure
 * @param {{row: number, column: number | null}} place
 */
function areaOf(figure, { row, column }) {
  const [rows, columns] = sizeOf(figure);
  const hasColumn = column !== null && column < columns;
  const [x0, x1] = hasColumn ? [column - 0.5, column + 0.5] : [-0.5, columns - 0.5];
  const cell = row < rows ? pixelsOf(figure, { x0, x1, y0: row - 0.5, y1: row + 0.5 }) : null;
  return cell && { cell, hasColumn };
}

/** @param {import("../plot.js").GraphElement} figure */
function axesOf(figure) {
  const { l, t, w, h } = figure._fullLayout._size;
  return { left: l, top: t, width: w, height: h };
}

/**
 * @param {HTMLElement} layer
 * @param {string} selector
 * @param {{left: number, top: number, width: number, height: number} | null} area
 */
function place(layer, selector, area) {
  const band = layer.querySelector(selector);
  if (!(band instanceof HTMLElement)) return;
  band.hidden = !area;
  for (const [side, pixels] of Object.entries(area ?? {})) band.style.setProperty(side, `${pixels}px`);
}
