/** The step on show: its text, the states to try, its sources, and the ways on and back. */

import { byId, h } from "../../dom.js";
import { CHANGED, placeIn, variantOnShow } from "../../state/lesson.js";
import { t } from "../../strings.js";
import { ELSEWHERE, SOURCES, WORKS } from "./sources.js";
import { showStates } from "./states.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../strings.js").Key} Key */
/** @typedef {import("../../state/lesson.js").LessonStep} LessonStep */
/** @typedef {(name: string) => void} Go */

/**
 * @param {Store} store
 * @param {Go} go
 */
export function mountStep(store, go) {
  const render = () => {
    const { lesson, tools } = store.get();
    const { index, step } = placeIn(lesson ?? [], tools.lesson.step);
    const count = lesson?.length ?? 0;
    byId("lesson-count").textContent = step ? t("lesson.count", { at: index + 1, of: count }) : "";
    const progress = /** @type {HTMLProgressElement} */ (byId("lesson-progress"));
    progress.max = Math.max(1, count);
    progress.value = index + 1;
    progress.hidden = !step;
    showText(step?.name ?? "start");
    showTurns(store, go);
    byId("lesson-sources").replaceChildren(...sources(step?.name ?? ""));
    byId("lesson-elsewhere").replaceChildren(...elsewhere(store, step?.name ?? ""));
    showState(store, step);
  };
  store.subscribe((state, previous) => {
    const moved = state.lesson !== previous.lesson || state.tools.lesson !== previous.tools.lesson;
    if (moved || state.view.language !== previous.view.language) render();
    else if (state.document !== previous.document) showState(store, placeIn(state.lesson ?? [], state.tools.lesson.step).step);
  });
  render();
}

/** @param {string} name */
function showText(name) {
  const text = (/** @type {string} */ part) => t(/** @type {Key} */ (`lesson.${name}.${part}`));
  byId("lesson-title").textContent = text("title");
  byId("lesson-text").replaceChildren(...text("text").split("\n").map((part) => h("p", { text: part })));
  byId("lesson-look").textContent = text("look");
}

/**
 * What is on show of the step; what was changed can be taken back.
 * @param {Store} store
 * @param {LessonStep | undefined} step
 */
function showState(store, step) {
  byId("lesson-states").hidden = !step;
  if (!step) return;
  const shown = variantOnShow(step, store.get().document);
  showStates(byId("lesson-tries"), store, step, shown);
  byId("lesson-changed").hidden = shown !== CHANGED;
}

/**
 * @param {Store} store
 * @param {Go} go
 */
function showTurns(store, go) {
  const { lesson, tools } = store.get();
  const { step, previous, next } = placeIn(lesson ?? [], tools.lesson.step);
  const turn = (/** @type {LessonStep | undefined} */ target, /** @type {string} */ id, /** @type {string} */ text) => {
    const button = /** @type {HTMLButtonElement} */ (byId(id));
    button.hidden = !target;
    button.textContent = text;
    button.onclick = () => {
      if (!target) return;
      go(target.name);
      byId("lesson-title").focus();
    };
  };
  const title = (/** @type {LessonStep | undefined} */ target) => (target ? t(/** @type {Key} */ (`lesson.${target.name}.title`)) : "");
  turn(previous, "lesson-back", `‹ ${title(previous)}`);
  turn(next, "lesson-next", step ? `${title(next)} ›` : t("lesson.begin"));
}

/** @param {string} name */
function sources(name) {
  const found = SOURCES[name] ?? [];
  if (found.length === 0) return [];
  return [h("h4", { text: t("lesson.sources") }), h("ul", {}, found.map(([work, place]) => h("li", {}, [h("cite", { lang: "en", text: WORKS[work] }), place ? h("span", { lang: "en", text: `, ${place}` }) : ""])))];
}

/**
 * Where the page says more of it.
 * @param {Store} store
 * @param {string} name
 */
function elsewhere(store, name) {
  const tab = ELSEWHERE[name];
  if (!tab) return [];
  const text = t("lesson.openTab", { name: t(/** @type {Key} */ (`tabs.${tab}`)) });
  const open = () => {
    store.view({ tab });
    document.getElementById(`tab-${tab}`)?.focus();
  };
  return [h("button", { type: "button", class: "add", text, title: t("lesson.openTab.tip"), on: { click: open } })];
}
