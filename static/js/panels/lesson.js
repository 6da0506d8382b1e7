/** The lesson: a step is a text, a state of the page and numbers of what is on show, all of which can be changed. */

import { fetchLesson } from "../api/lesson.js";
import { wholeAnswer } from "../api/needed.js";
import { byId, h } from "../dom.js";
import { paletteFor } from "../figures/palette.js";
import { draw } from "../plot.js";
import { placeIn, stateOfStep } from "../state/lesson.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { isDark, onSystemTheme } from "../theme.js";
import { mountContents } from "./lesson/contents.js";
import { EVIDENCE } from "./lesson/evidence.js";
import { mountNote } from "./lesson/note.js";
import { mountStep } from "./lesson/step.js";
import { TabRefusal, mountTabRequest } from "./tab_request.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("./lesson/context.js").Context} Context */
/** @typedef {{name: string, found: unknown, context: Context} | null} Shown */

const DRAWN = /** @type {const} */ (["theme", "palette", "language"]);

/** @param {Store} store */
export function mountLesson(store) {
  /** @type {Shown} */
  let shown = null;
  const go = (/** @type {string} */ name) => goTo(store, name);
  mountContents(store, go);
  mountStep(store, go);
  mountNote(store, go);

  const render = () => show(store, shown);
  mountTabRequest(store, {
    tab: "lesson",
    of: (state) => [state.lesson, state.tools.lesson.step, ready(state), state.plan, state.status === "error", state.view.batch, state.view.head, pinnedOf(state)],
    ask,
    show: (answer) => {
      shown = answer;
      return render();
    },
  });
  const want = whenLookedAt(store);
  store.subscribe((state, previous) => {
    if (DRAWN.some((name) => state.view[name] !== previous.view[name])) render();
    want();
  });
  onSystemTheme(render);
  watchWidth(render);
  want();
}

/**
 * The steps are asked for once the lesson is looked at.
 * @param {Store} store
 */
function whenLookedAt(store) {
  let asked = false;
  return async () => {
    const { lesson, view, tools } = store.get();
    if (lesson || asked || (view.tab !== "lesson" && tools.lesson.step === "")) return;
    asked = true;
    const steps = await fetchLesson().catch(() => null);
    asked = false;
    if (steps) store.set({ lesson: steps });
  };
}

/**
 * Sets the page as the step says.
 * @param {Store} store
 * @param {string} name
 */
function goTo(store, name) {
  const { lesson, tools, view } = store.get();
  const { step } = placeIn(lesson ?? [], name);
  if (step) store.set({ ...stateOfStep(step, view), tools: { ...tools, lesson: { step: name } } });
}

/**
 * The answer, once it belongs to what is set.
 * @param {AppState} state
 */
function ready(state) {
  return state.status === "ready" && state.answered === state.document ? state.answer : null;
}

/** @param {AppState} state */
function pinnedOf({ pinned, cursor }) {
  return pinned ? cursor : null;
}

/**
 * @param {AppState} state
 * @param {AbortSignal} signal
 * @returns {Promise<Shown>}
 */
async function ask(state, signal) {
  const name = state.tools.lesson.step;
  if (name === "" || !(name in EVIDENCE)) return null;
  if (state.status === "error") throw new TabRefusal(t("lesson.notComputed"));
  if (state.plan && state.answered === state.document) throw new TabRefusal(t("lesson.atLength"));
  const answer = ready(state) && wholeAnswer(state);
  if (!answer) return new Promise(() => {});
  const context = { spec: toSpec(state.document), answer, document: state.document, view: state.view, cell: pinnedOf(state) };
  return { name, context, found: await EVIDENCE[name].ask(context, signal) };
}

/**
 * @param {Store} store
 * @param {Shown} shown
 */
async function show(store, shown) {
  const place = byId("lesson-evidence");
  const { theme, palette } = store.get().view;
  if (!shown) return place.replaceChildren();
  const { name, found, context } = shown;
  /** @type {(() => Promise<void>)[]} */
  const drawings = [];
  const picture = (/** @type {string} */ label, /** @type {(width: number) => import("../plot.js").Figure} */ figure) => {
    const inner = h("div", { class: "figure", "aria-hidden": "true" });
    const frame = h("div", { class: "figure-frame", role: "img", "aria-label": label }, [inner]);
    drawings.push(() => draw(inner, figure(frame.clientWidth)));
    return frame;
  };
  const look = { ...context, view: store.get().view, palette: paletteFor(isDark(theme), palette) };
  place.replaceChildren(...EVIDENCE[name].show(found, look, picture));
  await Promise.all(drawings.map((each) => each()));
  return undefined;
}

/** @param {() => void} render */
function watchWidth(render) {
  let width = 0;
  new ResizeObserver(([{ contentRect }]) => {
    if (contentRect.width === width) return;
    width = contentRect.width;
    render();
  }).observe(byId("lesson-evidence"));
}
