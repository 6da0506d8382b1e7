/** All heads in one figure: see them, choose one, move the cursor in all, choose the sequence. */

import { wholeAnswer } from "../api/needed.js";
import { byId, h } from "../dom.js";
import { headOrder, statistic } from "../figures/head_order.js";
import { cursorPath, framePath, headsFigure } from "../figures/heads.js";
import { cellAt, tileAt } from "../figures/mosaic.js";
import { averagePicture, pictureOf, stageScale } from "../figures/picture.js";
import { cursorAt, placeOf, stageLabels, stageOf, stageRows, tileHeads } from "../figures/stages.js";
import { brief, exact } from "../numbers.js";
import { draw, onPress, pointAt } from "../plot.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { moveBy, sameCell, stepOf } from "./cursor_keys.js";
import { showLegend } from "./legend.js";
import { lookOf } from "./look.js";
import { stageName } from "./names.js";
import { widthOf } from "./widths.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/answer.js").Answer} Answer */

/**
 * @typedef {object} Shown what the figure holds now
 * @property {import("../figures/mosaic.js").Mosaic} mosaic
 * @property {(number | null)[]} heads the query head of each tile, null for the average
 * @property {string} stage
 * @property {number} rows
 * @property {number} columns
 * @property {number | null} pointed the head under the pointer
 */

/** @param {Store} store */
export function mountOverview(store) {
  /** @type {Shown | null} */
  let shown = null;
  listen(store, () => shown);
  return {
    async draw() {
      shown = await show(store);
    },
    mark: () => mark(store, shown),
  };
}

/**
 * @param {Store} store
 * @returns {Promise<Shown | null>}
 */
async function show(store) {
  const answer = wholeAnswer(store.get());
  const { view } = store.get();
  if (!answer) return null;
  const stage = stageOf(answer, view.stage);
  const order = headOrder(answer, view);
  const heads = tileHeads(answer, stage, order);
  const average = view.average && stage === "weights" && answer.tensors.average_weights && answer.layout.num_heads > 1;
  const look = lookOf(view);
  showBatches(store, answer.tensors.weights.shape[0]);
  showLegend(byId("legend"), { answer, view, look, stage });
  byId("overview-title").textContent = STAGES[stage].heads === "none" ? stageName(stage) : t("overview.stageTitle", { stage: stageName(stage) });
  byId("head-filter").hidden = view.sortHeads === "head";
  byId("average-note").hidden = !average;
  byId("no-heads").hidden = heads.length > 0;
  byId("heads-figure").hidden = heads.length === 0;
  if (heads.length === 0) return null;

  const grouped = view.sortHeads === "head" && heads.length === answer.layout.num_heads;
  const input = { group: grouped ? answer.layout.num_heads / answer.layout.num_kv_heads : 1, width: widthOf("heads-frame") };
  /** @param {import("../figures/picture.js").Look} look @param {number} [width] */
  const figureWith = (look, width = input.width) => {
    const scale = stageScale(answer, stage, view.batch, look);
    const tiles = heads.map((head) => tileOf(answer, stage, head, view, pictureOf(answer, stage, view.batch, head, look, scale)));
    const mean = average ? [{ picture: averagePicture(answer, view.batch, look, scale), title: t("overview.average"), kv: null }] : [];
    return headsFigure({ ...input, width, tiles: [...tiles, ...mean], palette: look.palette });
  };
  const { data, layout, mosaic, rows, columns } = figureWith(look);
  await draw(byId("heads-figure"), {
    data,
    layout,
    title: t("export.headsTitle", { stage: stageName(stage) }),
    bar: STAGES[stage].kind === "masks" ? "" : stageName(stage),
    repaint: (palette, width) => figureWith({ ...look, palette }, width),
  });
  return { mosaic, heads: average ? [...heads, null] : heads, stage, rows, columns, pointed: null };
}

/**
 * @param {Answer} answer
 * @param {string} stage
 * @param {number} head
 * @param {import("../state/types.js").View} view
 * @param {import("../figures/picture.js").Picture} picture
 * @returns {import("../figures/heads.js").Tile}
 */
function tileOf(answer, stage, head, view, picture) {
  const { kv_head_of: kvHeadOf } = answer.layout;
  const kv = kvHeadOf[head];
  const { heads } = STAGES[stage];
  if (heads === "none") return { picture, title: stageName(stage), kv: null };
  if (heads === "kv") return { picture, title: groupTitle(kvHeadOf, kv), kv };
  const values = view.sortHeads === "head" ? null : statistic(answer, view.sortHeads, view.batch);
  const title = t("overview.head", { head, kv }) + (values ? ` · ${brief(values[head])}` : "");
  return { picture, title, kv };
}

/**
 * @param {number[]} kvHeadOf
 * @param {number} kv
 */
function groupTitle(kvHeadOf, kv) {
  const [first, last] = [kvHeadOf.indexOf(kv), kvHeadOf.lastIndexOf(kv)];
  return `KV${kv} · H${first}${last > first ? `–H${last}` : ""}`;
}

/**
 * @param {Store} store
 * @param {() => Shown | null} shownNow
 */
function listen(store, shownNow) {
  const figure = byId("heads-figure");
  const frame = byId("heads-frame");

  /** @param {MouseEvent} event */
  const under = (event) => {
    const shown = shownNow();
    const point = shown && pointAt(figure, event);
    const tile = shown && point ? tileAt(shown.mosaic, point.x, point.y) : null;
    if (!shown || !point || tile === null) return null;
    return { head: shown.heads[tile], cell: cellAt(shown.mosaic, tile, point.x, point.y, shown.rows, shown.columns), stage: shown.stage };
  };
  onPress(figure, (event) => {
    const found = under(event);
    if (found && found.head !== null) store.view({ head: found.head });
  });
  frame.addEventListener("pointermove", (event) => {
    const found = under(event);
    figure.classList.toggle("is-pointing", found !== null);
    const { cursor, pinned } = store.get();
    const shown = shownNow();
    if (pinned || !shown || !found?.cell) return;
    const next = cursorAt(found.stage, cursor, found.cell.row, found.cell.column);
    if (sameCell(next, cursor) && shown.pointed === found.head) return;
    shown.pointed = found.head;
    store.set({ cursor: next, cursorStage: "heads" });
  });
  frame.addEventListener("pointerleave", () => {
    if (!store.get().pinned && document.activeElement !== frame) store.set({ cursor: null });
  });
  frame.addEventListener("keydown", (event) => onKey(store, shownNow(), event));
}

/**
 * Arrows move the cursor; with shift, left and right choose the head before and after.
 * @param {Store} store
 * @param {Shown | null} shown
 * @param {KeyboardEvent} event
 */
function onKey(store, shown, event) {
  const step = stepOf(event.key);
  const { view, cursor, pinned } = store.get();
  if (!shown) return;
  if (event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
    event.preventDefault();
    const heads = shown.heads.filter((head) => head !== null);
    const at = heads.indexOf(view.head) + (event.key === "ArrowLeft" ? -1 : 1);
    store.view({ head: heads[Math.max(0, Math.min(heads.length - 1, at))] });
  } else if (step) {
    event.preventDefault();
    shown.pointed = null;
    store.set({ cursor: moveBy(shown.stage, cursor, step, shown.rows, shown.columns), cursorStage: "heads" });
  } else if ((event.key === "Enter" || event.key === " ") && cursor) {
    event.preventDefault();
    store.set({ pinned: !pinned });
  }
}

/**
 * The cursor's cell in every tile.
 * @param {Store} store
 * @param {Shown | null} shown
 */
function mark(store, shown) {
  const { cursor, pinned, cursorStage } = store.get();
  byId("overview-readout").textContent = shown && cursor && cursorStage === "heads" ? readout(store, shown, cursor) : "";
  const layer = byId("heads-cursor");
  layer.classList.toggle("is-pinned", pinned);
  layer.querySelector(".is-selected")?.setAttribute("d", shown ? framePath(shown.mosaic, selectedTile(store, shown)) : "");
  layer.querySelector(".is-cursor")?.setAttribute("d", shown && cursor ? cursorPath(shown.mosaic, placeOf(shown.stage, cursor), shown.rows, shown.columns) : "");
}

/**
 * @param {Store} store
 * @param {Shown} shown
 */
function selectedTile(store, { heads, stage }) {
  const { answer, view } = store.get();
  const kvHeadOf = answer?.layout.kv_head_of ?? [];
  if (STAGES[stage].heads === "none") return -1;
  if (STAGES[stage].heads === "kv") return heads.findIndex((head) => head !== null && kvHeadOf[head] === kvHeadOf[view.head]);
  return heads.indexOf(view.head);
}

/**
 * The number under the pointer, in the head that the pointer is in.
 * @param {Store} store
 * @param {Shown} shown
 * @param {import("../state/types.js").Cell} cursor
 */
function readout(store, shown, cursor) {
  const answer = wholeAnswer(store.get());
  const { batch, head: chosen } = store.get().view;
  const { row, column } = placeOf(shown.stage, cursor);
  if (!answer || column === null || row >= shown.rows || column >= shown.columns) return "";
  const head = shown.pointed ?? chosen;
  const labels = stageLabels(answer, shown.stage, batch, shown.columns);
  const value = stageRows(answer, shown.stage, batch, head)[row][column];
  const number = STAGES[shown.stage].kind === "masks" ? "" : exact(value, answer.tensors[STAGES[shown.stage].tensor].dtype === "f4");
  return t("overview.readout", { head, row: labels.rows[row], column: labels.columns[column], value: number });
}

/**
 * @param {Store} store
 * @param {number} count
 */
function showBatches(store, count) {
  const { batch } = store.get().view;
  const picker = byId("batch-picker");
  picker.hidden = count < 2;
  picker.replaceChildren(
    ...Array.from({ length: count }, (_, item) =>
      h("button", { type: "button", class: "tab-button", text: t("input.sequence", { n: item }), "aria-pressed": String(item === batch), on: { click: () => store.view({ batch: item }) } }),
    ),
  );
}
