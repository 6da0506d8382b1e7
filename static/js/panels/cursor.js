/** One cursor in both matrices, by pointer and by arrow keys; a click or Enter pins it. */

import { byId, required } from "../dom.js";
import { onPress, pixelsOf, pointAt } from "../plot.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Cell} Cell */

const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
});

/** @param {Store} store */
export function mountCursor(store) {
  const frames = ["scores-frame", "weights-frame"].map(byId);
  for (const frame of frames) listen(store, frame);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && store.get().cursor) store.set({ cursor: null, pinned: false });
  });
  return function render() {
    for (const frame of frames) mark(frame, store.get().cursor, store.get().pinned);
  };
}

/**
 * @param {Store} store
 * @param {HTMLElement} frame
 */
function listen(store, frame) {
  frame.addEventListener("pointermove", (event) => {
    if (!store.get().pinned) moveTo(store, frame, cellUnder(frame, event));
  });
  frame.addEventListener("pointerleave", () => {
    if (!store.get().pinned && document.activeElement !== frame) moveTo(store, frame, null);
  });
  onPress(frame, (event) => {
    const cell = cellUnder(frame, event);
    const { cursor, pinned } = store.get();
    const again = pinned && cell && cursor && cell.query === cursor.query && cell.key === cursor.key;
    if (cell) store.set({ cursor: cell, cursorStage: stageOf(frame), pinned: !again });
  });
  frame.addEventListener("keydown", (event) => onKey(store, frame, event));
}

/**
 * @param {HTMLElement} frame
 * @param {MouseEvent} event
 * @returns {Cell | null}
 */
function cellUnder(frame, event) {
  const point = pointAt(figureIn(frame), event);
  return point && { query: Math.round(point.y), key: Math.round(point.x) };
}

/** @param {HTMLElement} frame */
function figureIn(frame) {
  return /** @type {HTMLElement} */ (required(frame.querySelector(".figure"), "the figure of a frame"));
}

/** @param {HTMLElement} frame */
function stageOf(frame) {
  return frame.dataset.stage === "scores" ? "scores" : "weights";
}

/**
 * @param {Store} store
 * @param {HTMLElement} frame
 * @param {Cell | null} cell
 */
function moveTo(store, frame, cell) {
  const { cursor, cursorStage } = store.get();
  const same = cell?.query === cursor?.query && cell?.key === cursor?.key && cursorStage === stageOf(frame);
  if (!same) store.set({ cursor: cell, cursorStage: stageOf(frame) });
}

/**
 * @param {Store} store
 * @param {HTMLElement} frame
 * @param {KeyboardEvent} event
 */
function onKey(store, frame, event) {
  const { answer, cursor, pinned } = store.get();
  const [, , T, S] = answer?.tensors.weights.shape ?? [1, 1, 1, 1];
  const step = STEPS[event.key];
  if (step) {
    event.preventDefault();
    const from = cursor ?? { query: step[0] ? -step[0] : 0, key: step[1] ? -step[1] : 0 };
    moveTo(store, frame, { query: within(from.query + step[0], T), key: within(from.key + step[1], S) });
  } else if ((event.key === "Enter" || event.key === " ") && cursor) {
    event.preventDefault();
    store.set({ pinned: !pinned });
  }
}

/**
 * @param {number} index
 * @param {number} length
 */
function within(index, length) {
  return Math.max(0, Math.min(length - 1, index));
}

/**
 * @param {HTMLElement} frame
 * @param {Cell | null} cursor
 * @param {boolean} pinned
 */
function mark(frame, cursor, pinned) {
  const layer = /** @type {HTMLElement} */ (required(frame.querySelector(".cursor"), "the cursor of a frame"));
  const area = cursor && pixelsOf(figureIn(frame), { x0: cursor.key - 0.5, x1: cursor.key + 0.5, y0: cursor.query - 0.5, y1: cursor.query + 0.5 });
  layer.hidden = !area;
  layer.classList.toggle("is-pinned", pinned);
  if (!area) return;
  const whole = axesOf(frame);
  place(layer, ".band-row", { ...area, left: whole.left, width: whole.width });
  place(layer, ".band-column", { ...area, top: whole.top, height: whole.height });
  place(layer, ".band-cell", area);
}

/** @param {HTMLElement} frame */
function axesOf(frame) {
  const figure = /** @type {import("../plot.js").GraphElement} */ (figureIn(frame));
  const { l, t, w, h } = figure._fullLayout._size;
  return { left: l, top: t, width: w, height: h };
}

/**
 * @param {HTMLElement} layer
 * @param {string} selector
 * @param {{left: number, top: number, width: number, height: number}} area
 */
function place(layer, selector, area) {
  const band = layer.querySelector(selector);
  if (!(band instanceof HTMLElement)) return;
  for (const [side, pixels] of Object.entries(area)) band.style.setProperty(side, `${pixels}px`);
}
