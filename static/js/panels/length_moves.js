/** Moving the window of a long run: by buttons, by keys, by the map. */

import { lengthsOf } from "../figures/length_span.js";
import { middleOf, panned, windowIn, zoomed } from "../state/length.js";

/** @typedef {import("../store.js").Store} Store */

const NEARER = 0.5;
/** Share of the window that one key moves it by. */
const STEP = 0.25;
const ARROWS = /** @type {Record<string, [number, number]>} */ ({ ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] });

/** @param {Store} store */
function now(store) {
  const { plan, view } = store.get();
  const lengths = plan ? lengthsOf(plan) : { T: 1, S: 1 };
  return { lengths, window: windowIn(view.window, lengths) };
}

/**
 * @param {Store} store
 * @param {"in" | "out"} way
 * @param {{row: number, col: number}} [about] a place that stays where it is
 */
export function zoom(store, way, about) {
  const { lengths, window } = now(store);
  store.view({ window: zoomed(window, way === "in" ? NEARER : 1 / NEARER, about ?? middleOf(window), lengths) });
}

/** @param {Store} store */
export function showAll(store) {
  store.view({ window: null });
}

/**
 * @param {Store} store
 * @param {number} down in windows
 * @param {number} across
 */
export function pan(store, down, across) {
  const { lengths, window } = now(store);
  const [tall, wide] = [window.rows[1] - window.rows[0], window.cols[1] - window.cols[0]];
  store.view({ window: panned(window, Math.round(down * tall), Math.round(across * wide), lengths) });
}

/**
 * The window, as large as it is (or a quarter of everything), with a place in its middle.
 * @param {Store} store
 * @param {{row: number, col: number}} place
 */
export function centre(store, { row, col }) {
  const { lengths, window } = now(store);
  const whole = store.get().view.window === null;
  const [tall, wide] = [window.rows[1] - window.rows[0], window.cols[1] - window.cols[0]].map((size) => (whole ? size / 4 : size));
  const at = { rows: /** @type {[number, number]} */ ([row - tall / 2, row + tall / 2]), cols: /** @type {[number, number]} */ ([col - wide / 2, col + wide / 2]) };
  store.view({ window: panned(at, 0, 0, lengths) });
}

/**
 * Keys that the picture and the map have in common.
 * @param {Store} store
 * @param {KeyboardEvent} event
 * @param {boolean} arrows whether arrows move the window by themselves
 * @param {{row: number, col: number}} [about]
 * @returns {boolean} whether it was one
 */
export function onMoveKey(store, event, arrows, about) {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  const step = ARROWS[event.key];
  if (event.key === "+" || event.key === "=") zoom(store, "in", about);
  else if (event.key === "-" || event.key === "−") zoom(store, "out", about);
  else if (event.key === "0" || event.key === "Home") showAll(store);
  else if (step && (arrows || event.shiftKey)) pan(store, STEP * step[0], STEP * step[1]);
  else return false;
  event.preventDefault();
  return true;
}
