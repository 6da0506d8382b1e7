/** Above the pipeline while a step of the lesson is on show: what to look at, and the ways on and back. */

import { byId } from "../../dom.js";
import { placeIn, variantOnShow } from "../../state/lesson.js";
import { t } from "../../strings.js";
import { showStates } from "./states.js";

/** @typedef {import("../../store.js").Store} Store */
/** @typedef {import("../../strings.js").Key} Key */

/**
 * @param {Store} store
 * @param {(name: string) => void} go
 */
export function mountNote(store, go) {
  const turn = (/** @type {"previous" | "next"} */ which) => () => {
    const { lesson, tools } = store.get();
    const target = placeIn(lesson ?? [], tools.lesson.step)[which];
    if (target) go(target.name);
  };
  byId("lesson-note-back").addEventListener("click", turn("previous"));
  byId("lesson-note-next").addEventListener("click", turn("next"));
  byId("lesson-note-read").addEventListener("click", () => {
    store.view({ tab: "lesson" });
    byId("lesson-title").focus({ preventScroll: true });
    byId("lesson-title").scrollIntoView({ block: "center" });
  });
  byId("lesson-note-leave").addEventListener("click", () => store.tool("lesson", { step: "" }));
  const render = () => show(store);
  store.subscribe((state, previous) => {
    const moved = state.lesson !== previous.lesson || state.tools.lesson !== previous.tools.lesson;
    if (moved || state.document !== previous.document || state.view.language !== previous.view.language) render();
  });
  render();
}

/** @param {Store} store */
function show(store) {
  const { lesson, tools, document: content } = store.get();
  const { index, step, previous, next } = placeIn(lesson ?? [], tools.lesson.step);
  byId("lesson-note").hidden = !step;
  if (!step) return;
  byId("lesson-note-count").textContent = t("lesson.noteCount", { at: index + 1, of: lesson?.length ?? 0 });
  byId("lesson-note-title").textContent = t(/** @type {Key} */ (`lesson.${step.name}.title`));
  byId("lesson-note-look").textContent = t(/** @type {Key} */ (`lesson.${step.name}.look`));
  showStates(byId("lesson-note-tries"), store, step, variantOnShow(step, content));
  // Not `disabled`, which would take the focus away from the button that was pressed.
  byId("lesson-note-back").setAttribute("aria-disabled", String(!previous));
  byId("lesson-note-next").setAttribute("aria-disabled", String(!next));
}
