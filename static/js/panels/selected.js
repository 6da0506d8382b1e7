/** One head, large: scores beside weights, with one cursor in both. */

import { headRows } from "../api/tensors.js";
import { byId, h } from "../dom.js";
import { matrixFigure } from "../figures/matrix.js";
import { groupColour, paletteFor } from "../figures/palette.js";
import { scoreReach } from "../figures/scales.js";
import { draw } from "../plot.js";
import { t } from "../strings.js";
import { isDark } from "../theme.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */

/** Tall enough to read, and short enough to stand on a screen with the overview. */
const LEAST_TALL_PX = 264;
const MOST_TALL_PX = 640;
/** From here on small cells need every pixel more than the overview needs to be in sight. */
const MANY_QUERIES = 32;
const STAGES = /** @type {const} */ (["scores", "weights"]);

/** @param {Store} store */
export function mountSelected(store) {
  byId("head-buttons").addEventListener("keydown", (event) => onArrow(store, event));
  return async function render() {
    const state = store.get();
    if (!state.answer) return;
    showTitle(state);
    showButtons(store);
    await Promise.all(STAGES.map((stage) => drawStage(state, stage)));
  };
}

/**
 * @param {AppState} state
 * @param {"scores" | "weights"} stage
 */
function drawStage({ answer, view }, stage) {
  if (!answer) return undefined;
  const { tensors, tokens } = answer;
  const frame = byId(`${stage}-frame`);
  const queries = tokens.queries[view.batch] ?? tokens.queries[0];
  const keys = tokens.keys[view.batch] ?? tokens.keys[0];
  const input = {
    stage,
    queries,
    keys,
    rows: headRows(tensors[stage], view.batch, view.head),
    allowed: headRows(tensors.allowed, view.batch, view.head),
    width: frame.clientWidth,
    tallest: tallest(queries.length),
    reach: scoreReach(answer, view.batch, view.showMasked),
    showMasked: view.showMasked,
    palette: paletteFor(isDark(view.theme)),
    titles: { query: t("selected.query"), key: t("selected.key") },
  };
  const names = { stage: t(`stage.${stage}`), head: view.head, rows: queries.length, columns: keys.length };
  frame.setAttribute("aria-label", t("selected.figure", names));
  return draw(byId(`${stage}-figure`), {
    ...matrixFigure(input),
    title: t("export.headTitle", { head: view.head, stage: names.stage }),
    repaint: (palette) => matrixFigure({ ...input, palette }),
  });
}

/** @param {number} T */
function tallest(T) {
  const share = T > MANY_QUERIES ? 0.55 : 0.4;
  return Math.max(LEAST_TALL_PX, Math.min(MOST_TALL_PX, share * innerHeight));
}

/** @param {AppState} state */
function showTitle({ answer, view }) {
  if (!answer) return;
  const kv = answer.layout.kv_head_of[view.head];
  const mark = h("span", { class: "group-mark", text: t("selected.group", { kv }) });
  mark.style.setProperty("--group", groupColour(paletteFor(isDark(view.theme)), kv));
  byId("selected-title").replaceChildren(t("selected.title", { head: view.head }), " ", mark);
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
