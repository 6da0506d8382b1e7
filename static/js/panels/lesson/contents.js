/** The steps of the lesson as a list, the one on show marked. */

import { byId, h } from "../../dom.js";
import { placeIn } from "../../state/lesson.js";
import { t } from "../../strings.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../strings.js").Key} Key */

/** From here on the list has a column of its own and stays open. */
const WIDE = "(min-width: 1181px)";

/**
 * @param {Store} store
 * @param {(name: string) => void} go
 */
export function mountContents(store, go) {
  const fold = /** @type {HTMLDetailsElement} */ (byId("lesson-steps").closest("details"));
  const wide = matchMedia(WIDE);
  const unfold = () => (fold.open = wide.matches);
  wide.addEventListener("change", unfold);
  unfold();
  const render = () => {
    const { lesson, tools } = store.get();
    const { index } = placeIn(lesson ?? [], tools.lesson.step);
    const items = (lesson ?? []).map(({ name }, place) => {
      const act = () => {
        go(name);
        if (!wide.matches) fold.open = false;
        byId("lesson-title").focus();
      };
      const title = t(/** @type {Key} */ (`lesson.${name}.title`));
      return h("li", {}, [h("button", { type: "button", class: "lesson-link", text: title, "aria-current": place === index ? "step" : null, data: { step: name }, on: { click: act } })]);
    });
    byId("lesson-steps").replaceChildren(...items);
  };
  store.subscribe((state, previous) => {
    const moved = state.lesson !== previous.lesson || state.tools.lesson !== previous.tools.lesson;
    if (moved || state.view.language !== previous.view.language) render();
  });
  render();
}
