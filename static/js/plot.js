/** With repaint.js the one file that knows Plotly: drawing a figure, and finding cells in what was drawn. */

import { changeOf } from "./figures/change.js";
import { repaint } from "./repaint.js";

/**
 * @typedef {object} Figure
 * @property {object[]} data
 * @property {Record<string, any>} layout
 * @property {PictureNumbers} [numbers] behind the cells
 * @property {string} [title] what the picture shows, where it stands alone
 * @property {string} [bar] what the colours stand for, "" where no bar could say it
 * @property {boolean} [movable] whether wheel and drag move the axes
 * @property {(palette: import("./figures/palette.js").Palette, width: number) => Figure} [repaint] the same picture in other colours and at another width
 */
/** @typedef {{values: ArrayLike<number>[], rows: string[], columns: string[]}} PictureNumbers as served, and their labels */
/** @typedef {HTMLElement & {_fullLayout?: any, on?: (name: string, handler: (event: any) => void) => void}} GraphElement */

const SOURCE = new URL("../vendor/plotly/plotly-cartesian.min.js", import.meta.url).href;
const CONFIG = {
  displayModeBar: false,
  displaylogo: false,
  showSendToCloud: false,
  responsive: false,
  doubleClick: false,
  showTips: false,
};

/** Told at an element whenever the newest figure stands in it. */
export const DRAWN = "drawn";

/** @type {Promise<any> | null} */
let loading = null;
/** @type {WeakMap<HTMLElement, Figure>} */
const wanted = new WeakMap();
/** @type {WeakMap<HTMLElement, Figure>} */
const drawn = new WeakMap();

/** @returns {Promise<any>} */
export function loadPlotly() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = SOURCE;
    script.addEventListener("load", () => resolve(/** @type {any} */ (globalThis).Plotly));
    script.addEventListener("error", () => reject(new Error(`could not load ${SOURCE}`)));
    document.head.append(script);
  });
  return loading;
}

/**
 * Draw, or change what is drawn. While the library loads only the newest figure is kept.
 * @param {GraphElement} element
 * @param {Figure} figure
 */
export async function draw(element, figure) {
  wanted.set(element, figure);
  const Plotly = await loadPlotly();
  if (wanted.get(element) !== figure) return;
  const before = drawn.get(element);
  drawn.set(element, figure);
  const change = before ? changeOf(before, figure) : "all";
  const stands = change === "none" || (before && change === "cells" && repaint(element, before, figure));
  if (!stands) {
    const { data, layout } = handed(figure);
    await Plotly.react(element, data, layout, figure.movable ? { ...CONFIG, scrollZoom: true } : CONFIG);
  }
  element.dispatchEvent(new Event(DRAWN));
}

/** @typedef {{rows: [number, number], cols: [number, number]}} Ranges of the axes, in cells */

/**
 * Hear of axes that wheel and drag move: while they move, and when they rest.
 * @param {GraphElement} element that a movable figure was drawn in
 * @param {{moving: () => void, moved: (ranges: Ranges) => void}} hear
 */
export function onMove(element, { moving, moved }) {
  element.on?.("plotly_relayouting", moving);
  element.on?.("plotly_relayout", (change) => {
    const ranges = rangesOf(element);
    if (ranges && Object.keys(change).some((name) => name.includes("axis"))) moved(ranges);
  });
}

/**
 * @param {GraphElement} element
 * @returns {Ranges | null} null where nothing is drawn
 */
export function rangesOf({ _fullLayout: layout }) {
  if (!layout?._size) return null;
  const [bottom, top] = layout.yaxis.range;
  const [left, right] = layout.xaxis.range;
  return { rows: [top + 0.5, bottom + 0.5], cols: [left + 0.5, right + 0.5] };
}

/**
 * The next drawing compares with what the axes are now, and not with what they were drawn as.
 * @param {GraphElement} element
 */
export function forgetDrawing(element) {
  drawn.delete(element);
}

/**
 * Plotly writes into what it is given; the figure is still needed as it was, to see what the next one changes.
 * @param {Figure} figure
 */
function handed({ data, layout }) {
  return {
    data: data.map((/** @type {any} */ { z, x, y, text, ...rest }) => ({ ...structuredClone(rest), z, x, y, text })),
    layout: structuredClone(layout),
  };
}

/**
 * @param {HTMLElement} element
 * @returns {Figure | undefined} what is on show in it
 */
export function shownIn(element) {
  return wanted.get(element);
}

/**
 * @param {Figure} figure
 * @param {{format: "png" | "svg", width: number, height: number, scale: number}} form
 * @returns {Promise<string>} a data URL
 */
export async function imageOf({ data, layout }, form) {
  const Plotly = await loadPlotly();
  return Plotly.toImage({ data, layout, config: CONFIG }, form);
}

const STILL_PX = 6;

/**
 * A click or tap. Plotly lays a cover over the page while a button is down, so the browser's own
 * click event never reaches the figure; a scroll by touch is no press.
 * @param {HTMLElement} element
 * @param {(event: PointerEvent) => void} act
 */
export function onPress(element, act) {
  element.addEventListener("pointerdown", (down) => {
    const end = new AbortController();
    const { signal } = end;
    const up = (/** @type {PointerEvent} */ event) => {
      end.abort();
      if (Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < STILL_PX) act(event);
    };
    window.addEventListener("pointerup", up, { signal, capture: true });
    window.addEventListener("pointercancel", () => end.abort(), { signal, capture: true });
  });
}

/**
 * @param {GraphElement} element
 * @param {MouseEvent} event
 * @returns {{x: number, y: number} | null} in the axes' units, null outside the axes
 */
export function pointAt(element, event) {
  const layout = element._fullLayout;
  if (!layout?._size) return null;
  const box = element.getBoundingClientRect();
  const { l, t, w, h } = layout._size;
  const [x, y] = [event.clientX - box.left - l, event.clientY - box.top - t];
  if (x < 0 || y < 0 || x > w || y > h) return null;
  return { x: layout.xaxis.p2d(x), y: layout.yaxis.p2d(y) };
}

/**
 * Pixels of a rectangle given in the axes' units, from the element's corner.
 * @param {GraphElement} element
 * @param {{x0: number, x1: number, y0: number, y1: number}} area
 */
export function pixelsOf(element, { x0, x1, y0, y1 }) {
  const layout = element._fullLayout;
  if (!layout?._size) return null;
  const { l, t } = layout._size;
  const [left, right] = [layout.xaxis.d2p(x0), layout.xaxis.d2p(x1)];
  const [top, bottom] = [layout.yaxis.d2p(y0), layout.yaxis.d2p(y1)];
  return { left: l + left, top: t + top, width: right - left, height: bottom - top };
}
