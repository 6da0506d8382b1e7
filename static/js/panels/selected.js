/** One head, large: scores beside weights, with one cursor in both. */

import { wholeAnswer } from "../api/needed.js";
import { byId, h } from "../dom.js";
import { statistic } from "../figures/head_order.js";
import { matrixFigure } from "../figures/matrix.js";
import { groupColour, paletteFor } from "../figures/palette.js";
import { pictureOf } from "../figures/picture.js";
import { stageLabels, stageOf } from "../figures/stages.js";
import { draw } from "../plot.js";
import { PAIR, STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { isDark } from "../theme.js";
import { lookOf } from "./look.js";
import { stageName } from "./names.js";
import { stageSays } from "./stage_says.js";
import { statisticEntries } from "./statistics.js";
import { widthOf } from "./widths.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */

/** Tall enough to read, and short enough to stand on a screen with the overview. */
const LEAST_TALL_PX = 264;
const MOST_TALL_PX = 640;
/** From here on small cells need every pixel more than the overview needs to be in sight. */
const MANY_QUERIES = 32;

/** What each kind of picture is to a screen reader. */
const FIGURES = /** @type {const} */ ({ cells: "selected.figure", masks: "selected.figure", vectors: "selected.vectors", strip: "selected.strip" });

/** Both frames are equally wide, and this one is always on show. */
const WIDTH_FROM = "weights-frame";
/** What each frame was drawn from: the same again is not drawn again. */
const drawnFrom = /** @type {Record<string, any[]>} */ ({});

/** @param {Store} store */
export function mountSelected(store) {
  byId("head-buttons").addEventListener("keydown", (event) => onArrow(store, event));
  return async function render() {
    const state = store.get();
    const answer = wholeAnswer(state);
    if (!answer) return;
    const stage = stageOf(answer, state.view.stage);
    const other = !PAIR.includes(stage);
    byId("stage-matrix").hidden = !other;
    byId("scores-matrix").hidden = other;
    byId("show-masked-switch").hidden = answer.masks.length === 0;
    showTitle(state, answer);
    showButtons(store);
    byId("stage-title").textContent = stageName(stage);
    for (const [place, name] of Object.entries({ stage, scores: "scores", weights: "weights" })) byId(`${place}-says`).textContent = stageSays(answer.steps, name);
    await Promise.all([drawStage(answer, state.view, other ? stage : "scores", other ? "stage" : "scores"), drawStage(answer, state.view, "weights", "weights")]);
  };
}

/**
 * @param {import("../api/answer.js").Answer} answer
 * @param {import("../state/types.js").View} view
 * @param {string} stage
 * @param {"scores" | "weights" | "stage"} place
 */
function drawStage(answer, view, stage, place) {
  const frame = byId(`${place}-frame`);
  const look = lookOf(view);
  const { batch, head, language, showMasked, weightScale } = view;
  const from = [answer.tensors[STAGES[stage].tensor], answer.tensors.allowed, stage, batch, head, language, look.palette, showMasked, weightScale, widthOf(WIDTH_FROM), innerHeight];
  if (from.every((value, index) => value === drawnFrom[place]?.[index])) return undefined;
  drawnFrom[place] = from;
  /** @param {import("../figures/picture.js").Look} wish */
  const inputWith = (wish) => {
    const picture = pictureOf(answer, stage, view.batch, view.head, wish);
    const labels = stageLabels(answer, stage, view.batch, picture.z[0].length);
    const { rows, columns } = STAGES[stage];
    const titles = { row: rows ? t(`selected.${rows}`) : "", column: t(`selected.${columns}`) };
    return { picture, ...labels, titles, palette: wish.palette, width: widthOf(WIDTH_FROM), tallest: tallest(labels.rows.length) };
  };
  const input = inputWith(look);
  const names = { stage: stageName(stage), head: view.head, rows: input.rows.length, columns: input.columns.length };
  frame.setAttribute("aria-label", t(FIGURES[STAGES[stage].kind], names));
  return draw(byId(`${place}-figure`), {
    ...matrixFigure(input),
    title: t("export.headTitle", { head: view.head, stage: names.stage }),
    bar: STAGES[stage].kind === "masks" ? "" : names.stage,
    repaint: (palette, width) => matrixFigure({ ...inputWith({ ...look, palette }), width, tallest: Infinity }),
  });
}

/** @param {number} T */
function tallest(T) {
  const share = T > MANY_QUERIES ? 0.55 : 0.4;
  return Math.max(LEAST_TALL_PX, Math.min(MOST_TALL_PX, share * innerHeight));
}

/**
 * @param {AppState} state
 * @param {import("../api/answer.js").Answer} answer
 */
function showTitle({ view }, answer) {
  const kv = answer.layout.kv_head_of[view.head];
  const mark = h("span", { class: "group-mark", text: t("selected.group", { kv }) });
  mark.style.setProperty("--group", groupColour(paletteFor(isDark(view.theme)), kv));
  byId("selected-title").replaceChildren(t("selected.title", { head: view.head }), " ", mark);
  byId("head-statistics").replaceChildren(
    ...statisticEntries((name) => {
      const value = statistic(answer, name, view.batch)?.[view.head];
      return value === undefined ? null : { value, single: answer.tensors[name].dtype === "f4" };
    }),
  );
}

/** @param {Store} store */
function showButtons(store) {
  const { answer, view } = store.get();
  const kvHeadOf = answer?.layout.kv_head_of ?? [];
  const palette = paletteFor(isDark(view.theme));
  const toolbar = byId("head-buttons");
  const focused = toolbar.contains(document.activeElement);
  toolbar.hidden = kvHeadOf.length < 2;
  toolbar.replaceChildren(
    ...kvHeadOf.map((kv, head) => {
      const chosen = head === view.head;
      const button = h("button", {
        type: "button",
        class: kv === kvHeadOf[head - 1] || head === 0 ? "head-button" : "head-button starts-group",
        text: `H${head}`,
        tabindex: chosen ? 0 : -1,
        "aria-pressed": String(chosen),
        "aria-label": t("selected.headButton", { head, kv }),
        data: { head },
        on: { click: () => store.view({ head }) },
      });
      button.style.setProperty("--group", groupColour(palette, kv));
      return button;
    }),
  );
  if (focused) focusChosen(toolbar);
}

/** @param {HTMLElement} toolbar */
function focusChosen(toolbar) {
  const chosen = toolbar.querySelector("[aria-pressed='true']");
  if (chosen instanceof HTMLElement) chosen.focus();
}

/**
 * @param {Store} store
 * @param {KeyboardEvent} event
 */
function onArrow(store, event) {
  const { answer, view } = store.get();
  const last = (answer?.layout.num_heads ?? 1) - 1;
  const targets = /** @type {Record<string, number>} */ ({ ArrowLeft: view.head - 1, ArrowRight: view.head + 1, Home: 0, End: last });
  const head = targets[event.key];
  if (head === undefined) return;
  event.preventDefault();
  store.view({ head: Math.max(0, Math.min(last, head)) });
}
