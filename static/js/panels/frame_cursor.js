/** The one cursor in one large picture: by pointer and by arrow keys, pinned by a click or Enter, and marked. */

import { byId, required } from "../dom.js";
import { cursorAt, placeOf } from "../figures/stages.js";
import { onPress, pixelsOf, pointAt } from "../plot.js";
import { moveBy, sameCell, stepOf } from "./cursor_keys.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Cell} Cell */
/** @typedef {import("../plot.js").GraphElement & {data?: any[]}} Graph */
/** @typedef {{left: number, top: number, width: number, height: number}} Area in pixels from the figure's corner */

/**
 * @typedef {object} Frame
 * @property {string} id what the ids of its frame and its figure begin with
 * @property {() => string} stage that it shows now
 * @property {import("../store.js").AppState["cursorStage"]} [stands] what the state says of where the cursor stands
 */

/**
 * @param {Store} store
 * @param {Frame} frame
 * @returns {() => void} marks the cursor where it is now
 */
export function mountFrameCursor(store, frame) {
  const element = byId(`${frame.id}-frame`);
  element.addEventListener("pointermove", (event) => {
    if (!store.get().pinned) moveTo(store, frame, cellUnder(store, frame, event));
  });
  element.addEventListener("pointerleave", () => {
    if (!store.get().pinned && document.activeElement !== element) moveTo(store, frame, null);
  });
  onPress(element, (event) => {
    const cell = cellUnder(store, frame, event);
    const { cursor, pinned } = store.get();
    if (cell) store.set({ cursor: cell, ...stands(frame), pinned: !(pinned && sameCell(cell, cursor)) });
  });
  element.addEventListener("keydown", (event) => onKey(store, frame, event));
  return () => mark(store, frame);
}

/** @param {Frame} frame */
function stands({ stands: cursorStage }) {
  return cursorStage === undefined ? {} : { cursorStage };
}

/**
 * @param {Store} store
 * @param {Frame} frame
 * @param {MouseEvent} event
 * @returns {Cell | null}
 */
function cellUnder(store, frame, event) {
  const figure = figureIn(frame);
  const point = pointAt(figure, event);
  const [rows, columns] = sizeOf(figure);
  if (!point || rows === 0) return null;
  return cursorAt(frame.stage(), store.get().cursor, within(point.y, rows), within(point.x, columns));
}

/**
 * At the very edge a position rounds to a cell that is none.
 * @param {number} position
 * @param {number} count
 */
function within(position, count) {
  return Math.max(0, Math.min(count - 1, Math.round(position)));
}

/** @param {Frame} frame */
function figureIn({ id }) {
  return /** @type {Graph} */ (byId(`${id}-figure`));
}

/** @param {{data?: any[]}} figure */
function sizeOf(figure) {
  const z = figure.data?.[0]?.z ?? [];
  return [z.length, z[0]?.length ?? 0];
}

/**
 * @param {Store} store
 * @param {Frame} frame
 * @param {Cell | null} cell
 */
function moveTo(store, frame, cell) {
  const { cursor, cursorStage } = store.get();
  if (!sameCell(cell, cursor) || (frame.stands ?? cursorStage) !== cursorStage) store.set({ cursor: cell, ...stands(frame) });
}

/**
 * @param {Store} store
 * @param {Frame} frame
 * @param {KeyboardEvent} event
 */
function onKey(store, frame, event) {
  const { cursor, pinned } = store.get();
  const step = stepOf(event.key);
  const [rows, columns] = sizeOf(figureIn(frame));
  if (step && rows) moveTo(store, frame, moveBy(frame.stage(), cursor, step, rows, columns));
  else if ((event.key === "Enter" || event.key === " ") && cursor) store.set({ pinned: !pinned });
  else return;
  event.preventDefault();
}

/**
 * A picture without the cursor's column (dimensions, where none was pointed at) marks the row alone.
 * @param {Store} store
 * @param {Frame} frame
 */
function mark(store, frame) {
  const { cursor, pinned } = store.get();
  const element = byId(`${frame.id}-frame`);
  const layer = /** @type {HTMLElement} */ (required(element.querySelector(".cursor"), "the cursor of a frame"));
  const figure = figureIn(frame);
  const area = cursor && element.checkVisibility() ? areaOf(figure, placeOf(frame.stage(), cursor)) : null;
  layer.hidden = !area;
  layer.classList.toggle("is-pinned", pinned);
  if (!area) return;
  const whole = axesOf(figure);
  place(layer, ".band-row", { ...area.cell, left: whole.left, width: whole.width });
  place(layer, ".band-column", area.hasColumn ? { ...area.cell, top: whole.top, height: whole.height } : null);
  place(layer, ".band-cell", area.hasColumn ? area.cell : null);
}

/**
 * @param {Graph} figure
 * @param {{row: number, column: number | null}} place
 */
function areaOf(figure, { row, column }) {
  const [rows, columns] = sizeOf(figure);
  const hasColumn = column !== null && column < columns;
  const [x0, x1] = hasColumn ? [column - 0.5, column + 0.5] : [-0.5, columns - 0.5];
  const cell = row < rows ? pixelsOf(figure, { x0, x1, y0: row - 0.5, y1: row + 0.5 }) : null;
  return cell && { cell, hasColumn };
}

/**
 * @param {Graph} figure
 * @returns {Area}
 */
export function axesOf(figure) {
  const { l, t, w, h } = figure._fullLayout._size;
  return { left: l, top: t, width: w, height: h };
}

/**
 * @param {HTMLElement} layer
 * @param {string} selector
 * @param {Area | null} area
 */
function place(layer, selector, area) {
  const band = /** @type {HTMLElement} */ (required(layer.querySelector(selector), selector));
  band.hidden = !area;
  for (const [side, pixels] of Object.entries(area ?? {})) band.style.setProperty(side, `${pixels}px`);
}
