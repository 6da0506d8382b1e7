/** The map of a long run: everything in small, and where the window lies. */

import { byId } from "../dom.js";
import { coarser } from "../figures/length_picture.js";
import { t } from "../strings.js";
import { wholeText } from "../units.js";
import { paintLayers } from "./length_canvas.js";
import { centre, onMoveKey } from "./length_moves.js";
import { windowText } from "./length_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../length_scene.js").Scene} Scene */

/** A window smaller than this could not be seen. */
const LEAST_PX = 5;

/**
 * @param {Store} store
 * @param {() => Scene | null} sceneNow
 */
export function mountLengthMap(store, sceneNow) {
  const frame = byId("length-map");
  const go = (/** @type {PointerEvent} */ event) => {
    const scene = sceneNow();
    const box = frame.getBoundingClientRect();
    if (!scene) return;
    const { rows, cols } = scene.span.totals;
    centre(store, { row: ((event.clientY - box.top) / box.height) * rows, col: ((event.clientX - box.left) / box.width) * cols });
  };
  frame.addEventListener("pointerdown", (event) => {
    frame.setPointerCapture(event.pointerId);
    go(event);
  });
  frame.addEventListener("pointermove", (event) => frame.hasPointerCapture(event.pointerId) && go(event));
  frame.addEventListener("keydown", (event) => onMoveKey(store, event, true));
  return (/** @type {import("../figures/length_picture.js").LengthLook} */ look) => {
    const scene = sceneNow();
    byId("length-map-part").hidden = !scene || scene.span.sides.cols === null;
    if (scene && scene.span.sides.cols !== null) show(frame, scene, look);
  };
}

/**
 * @param {HTMLElement} frame
 * @param {Scene} scene
 * @param {import("../figures/length_picture.js").LengthLook} look
 */
function show(frame, { span, overview, subject }, look) {
  const { rows, cols, totals } = span;
  const canvas = /** @type {HTMLCanvasElement} */ (byId("length-map-canvas"));
  frame.style.aspectRatio = String(Math.max(0.25, Math.min(2, totals.cols / totals.rows)));
  const size = { width: frame.clientWidth, height: frame.clientHeight };
  const small = overview && smallOf(overview, Math.max(64, Math.round(size.width)));
  if (size.width > 0) paintLayers(canvas, size, { rows: [0, totals.rows], cols: [0, totals.cols] }, [small], subject.stage, look);
  const box = byId("length-map-window");
  placeAlong(box, "left", "width", cols, totals.cols, size.width);
  placeAlong(box, "top", "height", rows, totals.rows, size.height);
  frame.setAttribute("aria-label", t("length.map.figure", { window: windowText(span), rows: wholeText(totals.rows), cols: wholeText(totals.cols) }));
}

/** @type {WeakMap<import("../api/view.js").Found, Map<number, import("../api/view.js").Found>>} */
const memory = new WeakMap();

/**
 * @param {import("../api/view.js").Found} found
 * @param {number} most
 */
export function smallOf(found, most) {
  const known = memory.get(found) ?? new Map();
  memory.set(found, known);
  if (!known.has(most)) known.set(most, coarser(found, most));
  return /** @type {import("../api/view.js").Found} */ (known.get(most));
}

/**
 * @param {HTMLElement} box
 * @param {"left" | "top"} start
 * @param {"width" | "height"} extent
 * @param {import("../state/length.js").Range} range
 * @param {number} total
 * @param {number} pixels
 */
function placeAlong(box, start, extent, [from, to], total, pixels) {
  const size = Math.max(LEAST_PX, ((to - from) / total) * pixels);
  const middle = ((from + to) / 2 / total) * pixels;
  box.style[start] = `${Math.max(0, Math.min(pixels - size, middle - size / 2))}px`;
  box.style[extent] = `${size}px`;
}
