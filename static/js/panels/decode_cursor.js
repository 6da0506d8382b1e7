/** The page's one cursor in the causal triangle; a press on a row goes to the step that took it in. */

import { byId, required } from "../dom.js";
import { cursorAt } from "../figures/stages.js";
import { exact } from "../numbers.js";
import { onPress, pixelsOf, pointAt } from "../plot.js";
import { headRows } from "../tensors.js";
import { t } from "../strings.js";
import { moveBy, sameCell, stepOf } from "./cursor_keys.js";
import { frameAt, goTo } from "./decode_player.js";
import { tokenLabels } from "./decode_says.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Cell} Cell */
/** @typedef {import("../api/decoding.js").Decoding} Decoding */

/**
 * @param {Store} store
 * @param {() => Decoding | null} decoding
 */
export function mountDecodeCursor(store, decoding) {
  const frame = byId("decode-frame-triangle");
  const figure = byId("decode-triangle");
  const move = (/** @type {Cell | null} */ cell) => {
    if (!sameCell(cell, store.get().cursor)) store.set({ cursor: cell });
  };
  const under = (/** @type {MouseEvent} */ event) => {
    const point = pointAt(figure, event);
    return point && cursorAt("weights", store.get().cursor, Math.max(0, Math.round(point.y)), Math.max(0, Math.round(point.x)));
  };
  frame.addEventListener("pointermove", (event) => {
    if (!store.get().pinned) move(under(event));
  });
  frame.addEventListener("pointerleave", () => {
    if (!store.get().pinned && document.activeElement !== frame) move(null);
  });
  onPress(frame, (event) => {
    const [cell, found] = [under(event), decoding()];
    if (!cell || !found) return;
    goTo(store, found, frameOf(found, cell.query));
    store.set({ cursor: cell });
  });
  frame.addEventListener("keydown", (event) => {
    const [step, found] = [stepOf(event.key), decoding()];
    if (!step || !found) return;
    event.preventDefault();
    if (step[0] === 0) goTo(store, found, frameAt(store, found) + step[1]);
    else move(moveBy("weights", store.get().cursor, step, found.queries, found.keys));
  });
  return {
    render: () => {
      const found = decoding();
      if (!found) return;
      mark(store, found);
      byId("decode-readout").textContent = readout(store, found);
    },
  };
}

/**
 * @param {Decoding} decoding
 * @param {number} query
 */
function frameOf({ frames }, query) {
  return frames.findIndex(({ position, queries }) => query < position + queries);
}

/**
 * @param {Store} store
 * @param {Decoding} decoding
 */
function mark(store, { queries, keys }) {
  const { cursor, pinned } = store.get();
  const figure = /** @type {import("../plot.js").GraphElement} */ (byId("decode-triangle"));
  const layer = /** @type {HTMLElement} */ (required(byId("decode-frame-triangle").querySelector(".cursor"), "the cursor of a frame"));
  const seen = cursor && cursor.query < queries && cursor.key < keys && figure.checkVisibility();
  layer.hidden = !seen;
  layer.classList.toggle("is-pinned", pinned);
  if (!seen) return;
  const cell = pixelsOf(figure, { x0: cursor.key - 0.5, x1: cursor.key + 0.5, y0: cursor.query - 0.5, y1: cursor.query + 0.5 });
  const whole = pixelsOf(figure, { x0: -0.5, x1: keys - 0.5, y0: -0.5, y1: queries - 0.5 });
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
 * @param {Decoding} decoding
 */
function readout(store, decoding) {
  const { cursor, view } = store.get();
  if (!cursor || cursor.query >= decoding.queries || cursor.key >= decoding.keys) return t("decode.hint");
  const query = tokenLabels(store, "queries", decoding.queries)[cursor.query];
  const key = tokenLabels(store, "keys", decoding.keys)[cursor.key];
  const at = frameOf(decoding, cursor.query);
  const frame = decoding.frames[at];
  if (at > frameAt(store, decoding)) return t("decode.later", { query, key });
  if (cursor.key >= frame.shape[2]) return t("decode.notCached", { query, key });
  const weight = headRows(frame.weights, view.batch, view.head)[cursor.query - frame.position][cursor.key];
  return t("decode.weight", { query, key, weight: exact(weight, frame.weights.dtype === "f4") });
}
