/** When which picture is drawn anew: each only for the part of the state it shows. */

import { wholeAnswer } from "../api/needed.js";
import { byId } from "../dom.js";
import { stageOf } from "../figures/stages.js";
import { STAGES } from "../state/stages.js";
import { onSystemTheme } from "../theme.js";
import { mountCellCard } from "./cell_card.js";
import { mountCursor } from "./cursor.js";
import { mountLength } from "./length.js";
import { mountOverview } from "./overview.js";
import { mountSelected } from "./selected.js";

/** @typedef {import("../store.js").Store} Store */

/** The parts of the view that change what is drawn. */
const DRAWN = /** @type {const} */ (["batch", "stage", "showMasked", "theme", "palette", "weightScale", "language"]);
const SELECTED = /** @type {const} */ (["head", ...DRAWN]);
const OVERVIEW = /** @type {const} */ (["sortHeads", "descending", "from", "to", "average", ...DRAWN]);

/** @param {Store} store */
export function mountPictures(store) {
  const overview = mountOverview(store);
  const drawSelected = mountSelected(store);
  const drawCursor = mountCursor(store);
  const drawCard = mountCellCard(store);
  mountLength(store);

  const drawCell = () => {
    drawCursor();
    overview.mark();
    drawCard();
  };
  const draw = async (/** @type {boolean} */ heads, /** @type {boolean} */ selected) => {
    const { answer, view } = store.get();
    if (!answer || waiting(store)) return;
    await Promise.all([selected && drawSelected(), heads && overview.draw()]);
    drawCell();
    const now = store.get();
    if (answer === now.answer && view === now.view) announce(store);
  };
  const drawAll = () => draw(true, true);
  store.subscribe((state, previous) => {
    const changed = (/** @type {readonly (keyof typeof state.view)[]} */ names) => names.some((name) => state.view[name] !== previous.view[name]);
    const came = state.details !== previous.details;
    if (state.answer !== previous.answer || (came && waitedFor(state, previous))) drawAll();
    else if (changed(OVERVIEW) || changed(SELECTED) || came) draw(changed(OVERVIEW) || (came && heads(state)), changed(SELECTED) || came);
    else if (state.cursor !== previous.cursor || state.pinned !== previous.pinned) drawCell();
  });
  onSystemTheme(drawAll);
  onResize(byId("pictures"), drawAll);
}

/**
 * Whether the stage on show has not come yet; what was drawn before stays until it has.
 * @param {Store} store
 */
function waiting(store) {
  if (hasStage(store.get())) return false;
  document.documentElement.dataset.state = "computing";
  return true;
}

/** @param {import("../store.js").AppState} state */
function hasStage(state) {
  const answer = wholeAnswer(state);
  return answer !== null && answer.tensors[STAGES[stageOf(answer, state.view.stage)].tensor] !== undefined;
}

/**
 * @param {import("../store.js").AppState} state
 * @param {import("../store.js").AppState} previous
 */
function waitedFor(state, previous) {
  return hasStage(state) && !hasStage(previous);
}

/**
 * Whether the overview hangs on numbers that come after the answer.
 * @param {import("../store.js").AppState} state
 */
function heads({ view }) {
  return view.average || view.sortHeads !== "head";
}

/**
 * The document says "ready" only once the pictures show the newest answer.
 * @param {Store} store
 */
function announce(store) {
  document.documentElement.dataset.state = store.get().status;
}

/**
 * @param {HTMLElement} element
 * @param {() => void} act
 */
function onResize(element, act) {
  let width = element.clientWidth;
  let frame = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(act);
  }).observe(element);
}
