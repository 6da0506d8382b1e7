/** The window of a long run, large: a canvas of its cells under Plotly's axes, which wheel and drag move. */

import { byId } from "../dom.js";
import { axesFigure } from "../figures/length_axes.js";
import { lengthPicture } from "../figures/length_picture.js";
import { labelsOf, lengthsOf, movedWindow } from "../figures/length_span.js";
import { matrixFigure, numberLabels } from "../figures/matrix.js";
import { isWhole } from "../length_scene.js";
import { draw, forgetDrawing, onMove, onPress, pixelsOf, pointAt, rangesOf } from "../plot.js";
import { inside, keptWindow, windowIn } from "../state/length.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { axesOf } from "./frame_cursor.js";
import { isOnePair, pooledCell, showCell } from "./length_cell.js";
import { paintLayers } from "./length_canvas.js";
import { largestPair } from "./length_largest.js";
import { onMoveKey, pan } from "./length_moves.js";
import { pooledText, windowText } from "./length_words.js";
import { stageName } from "./names.js";
import { stepOf } from "./cursor_keys.js";
import { widthOf } from "./widths.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../length_scene.js").Scene} Scene */
/** @typedef {import("../figures/length_picture.js").LengthLook} LengthLook */
/** @typedef {{row: number, col: number}} Place */

const LEAST_TALL_PX = 280;
const MOST_TALL_PX = 680;
/** What else a screen should have room for. */
const ROOM_PX = 280;

/**
 * @param {Store} store
 * @param {() => Scene | null} sceneNow
 * @param {() => LengthLook} lookNow
 */
export function mountLengthPicture(store, sceneNow, lookNow) {
  const frame = byId("length-frame");
  const figure = /** @type {import("../plot.js").GraphElement} */ (byId("length-figure"));
  const canvas = /** @type {HTMLCanvasElement} */ (byId("length-canvas"));
  /** @type {Place | null} the token pair under the cursor */
  let at = null;
  let listening = false;

  /** The cells where the axes are at this moment. */
  function paint() {
    const scene = sceneNow();
    const ranges = rangesOf(figure);
    if (!scene || !ranges || !figure._fullLayout) return;
    const { left, top, width, height } = axesOf(figure);
    Object.assign(canvas.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
    paintLayers(canvas, { width, height }, ranges, [scene.overview, scene.before, scene.detail], scene.subject.stage, lookNow());
    mark(scene);
  }

  async function drawAxes() {
    const scene = sceneNow();
    if (!scene) return;
    await draw(figure, figureOf(scene, lookNow()));
    if (!listening) onMove(figure, { moving: paint, moved });
    listening = true;
    describe(frame, sceneNow() ?? scene);
    paint();
  }

  /** @param {import("../plot.js").Ranges} ranges */
  function moved(ranges) {
    const scene = sceneNow();
    if (!scene) return;
    const { totals } = scene.span;
    const whole = { rows: inside(ranges.rows, totals.rows), cols: inside(ranges.cols, totals.cols) };
    const lengths = lengthsOf(scene.plan);
    forgetDrawing(figure);
    store.view({ window: keptWindow(movedWindow(windowIn(store.get().view.window, lengths), scene.span, whole), lengths) });
    drawAxes();
  }

  /** @param {Scene} scene */
  function mark(scene) {
    const cell = at && pooledCell(scene, at);
    const layer = byId("length-cursor");
    const box = cell && pixelsOf(figure, { x0: cell.cols[0] - 0.5, x1: cell.cols[1] - 0.5, y0: cell.rows[0] - 0.5, y1: cell.rows[1] - 0.5 });
    layer.hidden = !box;
    layer.classList.toggle("is-pinned", store.get().pinned);
    if (box) for (const [side, pixels] of Object.entries(box)) layer.style.setProperty(side, `${Math.max(pixels, side === "width" || side === "height" ? 3 : 0)}px`);
    showCell(scene, cell, at !== null);
  }

  /** @param {Place | null} place */
  function moveTo(place) {
    at = place;
    const scene = sceneNow();
    if (scene) mark(scene);
  }

  /** @param {MouseEvent} event @returns {Place | null} */
  function under(event) {
    const scene = sceneNow();
    const point = pointAt(figure, event);
    if (!scene || !point) return null;
    const { rows, cols } = scene.span.totals;
    const [row, col] = [Math.round(point.y), Math.round(point.x)];
    return row >= 0 && col >= 0 && row < rows && col < cols ? { row, col } : null;
  }

  async function pin() {
    const scene = sceneNow();
    const cell = scene && at && pooledCell(scene, at);
    if (!scene || !cell || scene.span.sides.cols === null) return;
    const { pinned, cursor } = store.get();
    const found = isOnePair(cell) ? { query: cell.rows[0], key: cell.cols[0] } : await largestPair(scene.subject, cell).catch(() => null);
    const place = found ?? { query: cell.rows[0], key: cell.cols[0] };
    const again = pinned && cursor?.query === place.query && cursor?.key === place.key;
    store.set({ cursor: again ? null : place, cursorStage: "heads", pinned: !again });
  }

  frame.addEventListener("pointermove", (event) => event.buttons === 0 && moveTo(under(event)));
  frame.addEventListener("pointerleave", () => document.activeElement !== frame && moveTo(null));
  onPress(frame, (event) => {
    moveTo(under(event));
    pin();
  });
  frame.addEventListener("keydown", (event) => {
    const scene = sceneNow();
    if (!scene || onMoveKey(store, event, false, at ?? undefined)) return;
    const step = stepOf(event.key);
    if (step) moveTo(stepped(store, scene, at, step));
    else if (event.key === "Enter" || event.key === " ") pin();
    else return;
    event.preventDefault();
  });
  return { draw: drawAxes, paint };
}

/**
 * The next cell of the picture; the window follows where it ends.
 * @param {Store} store
 * @param {Scene} scene
 * @param {Place | null} at
 * @param {[number, number]} step
 * @returns {Place}
 */
function stepped(store, scene, at, [down, across]) {
  const { rows, cols, totals } = scene.span;
  const cell = at && pooledCell(scene, at);
  if (!at || !cell) return { row: rows[0], col: cols[0] };
  const next = {
    row: Math.max(0, Math.min(totals.rows - 1, down < 0 ? cell.rows[0] - 1 : down > 0 ? cell.rows[1] : at.row)),
    col: Math.max(0, Math.min(totals.cols - 1, across < 0 ? cell.cols[0] - 1 : across > 0 ? cell.cols[1] : at.col)),
  };
  if (next.row < rows[0] || next.row >= rows[1] || next.col < cols[0] || next.col >= cols[1]) pan(store, down / 2, across / 2);
  return next;
}

/**
 * @param {Scene} scene
 * @param {LengthLook} look
 * @returns {import("../plot.js").Figure}
 */
function figureOf(scene, look) {
  const { plan, subject, span } = scene;
  const { rows, columns } = STAGES[subject.stage];
  const label = (/** @type {import("../figures/length_span.js").Side} */ side) => {
    const labels = side === null ? null : labelsOf(plan, side === "cols" ? "keys" : "queries", subject.batch);
    return (/** @type {number} */ token) => labels?.[token] ?? String(token);
  };
  const titles = { row: t(`selected.${rows || "query"}`), column: t(`selected.${columns}`) };
  const axes = axesFigure({
    rows: span.rows,
    cols: span.cols,
    rowLabel: label(span.sides.rows),
    columnLabel: label(span.sides.cols),
    numbers: numbersOf(scene, look),
    width: widthOf("length-frame"),
    tallest: Math.max(LEAST_TALL_PX, Math.min(MOST_TALL_PX, innerHeight - ROOM_PX)),
    movable: span.sides.cols !== null,
    palette: look.palette,
    titles,
  });
  const shown = scene.detail ?? scene.overview;
  if (!shown) return axes;
  return {
    ...axes,
    title: `${t("export.headTitle", { head: subject.head, stage: stageName(subject.stage) })}: ${windowText(span)}, ${pooledText(shown.reduced, subject.stage)}`,
    bar: stageName(subject.stage),
    repaint: (palette, width) => paperOf(shown, subject.stage, { ...look, palette }, width, titles),
  };
}

/**
 * @param {Scene} scene
 * @param {LengthLook} look
 */
function numbersOf({ detail, overview, span, subject }, look) {
  const found = detail ?? (isWhole(span) ? overview : null);
  if (!found?.finished || found.reduced.rows > 1 || found.reduced.cols > 1 || subject.stage === "allowed") return null;
  return () => numberLabels(lengthPicture(found, subject.stage, look), { row: found.rowEdges[0], column: found.colEdges[0] });
}

/**
 * The same cells as a heatmap, for a file.
 * @param {import("../api/view.js").Found} found
 * @param {string} stage
 * @param {LengthLook} look
 * @param {number} width
 * @param {{row: string, column: string}} titles
 */
function paperOf(found, stage, look, width, titles) {
  const names = (/** @type {number[]} */ edges) => edges.slice(0, -1).map((edge) => edge.toLocaleString("en-US"));
  const picture = lengthPicture(found, stage, look);
  return matrixFigure({ picture: { ...picture, allowed: null }, rows: names(found.rowEdges), columns: names(found.colEdges), width, tallest: width, palette: look.palette, titles });
}

/**
 * @param {HTMLElement} frame
 * @param {Scene} scene
 */
function describe(frame, { subject, span, detail, overview }) {
  const shown = detail ?? overview;
  const pooled = shown ? pooledText(shown.reduced, subject.stage) : "";
  frame.setAttribute("aria-label", t("length.figure", { stage: stageName(subject.stage), head: subject.head, window: windowText(span), pooled }));
}
