/** Which language the page speaks. */

import { byId } from "../dom.js";
import { currentLanguage, setLanguage, translate } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */

/**
 * To be mounted before every other panel, so that they find the new words when they draw anew.
 * @param {Store} store
 */
export function mountLanguage(store) {
  const select = /** @type {HTMLSelectElement} */ (byId("language"));
  const speak = () => {
    setLanguage(store.get().view.language);
    translate(document);
    select.value = currentLanguage();
  };
  select.addEventListener("change", () => choose(store, /** @type {"en" | "zh"} */ (select.value)));
  store.subscribe((state, previous) => {
    if (state.view.language !== previous.view.language) speak();
  });
  speak();
}

/**
 * New objects with the old content: every panel says again what it shows.
 * @param {Store} store
 * @param {"en" | "zh"} language
 */
function choose(store, language) {
  const { view, answer, plan, problem, examples } = store.get();
  store.set({ view: { ...view, language }, answer: answer && { ...answer }, plan: plan && { ...plan }, problem: problem && { ...problem }, examples: [...examples] });
}
