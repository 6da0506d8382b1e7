/** The states of a step as buttons, the one on show pressed. */

import { h } from "../../dom.js";
import { fromSpec } from "../../state/from_spec.js";
import { AS_GIVEN } from "../../state/lesson.js";
import { t } from "../../strings.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../strings.js").Key} Key */
/** @typedef {import("../../state/lesson.js").LessonStep} LessonStep */

/**
 * @param {HTMLElement} place
 * @param {Store} store
 * @param {LessonStep} step
 * @param {string | null} shown the name of the state on show
 */
export function showStates(place, store, step, shown) {
  const states = [{ name: AS_GIVEN, spec: step.spec }, ...step.tries];
  const focused = place.contains(document.activeElement) ? /** @type {HTMLElement} */ (document.activeElement).dataset.state : undefined;
  const buttons = states.map(({ name, spec }) => {
    const set = () => store.set({ document: fromSpec(spec), view: { ...store.get().view, example: "" } });
    const key = name === AS_GIVEN ? "lesson.asGiven" : `lesson.${step.name}.${name}`;
    return h("button", { type: "button", class: "chip", text: t(/** @type {Key} */ (key)), title: t("lesson.state.tip"), "aria-pressed": String(shown === name), data: { state: name || "given" }, on: { click: set } });
  });
  place.replaceChildren(...buttons);
  if (focused) buttons.find(({ dataset }) => dataset.state === focused)?.focus();
}
