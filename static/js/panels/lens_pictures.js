/** Two runs and their difference in the tabs that try a run in other ways. */

import { byId } from "../dom.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { onSystemTheme } from "../theme.js";
import { mountCompareCursor } from "./compare_cursor.js";
import { stageName } from "./names.js";
import { DRAWN, drawSides } from "./side_by_side.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/comparison.js").Comparison} Comparison */

/**
 * @param {Store} store
 * @param {"stability" | "readings"} tab
 */
export function mountLensPictures(store, tab) {
  /** @type {Comparison | null} */
  let found = null;
  const cursor = mountCompareCursor(store, () => found, tab);
  const draw = async () => {
    if (!found || byId(`panel-${tab}`).hidden) return;
    byId(`${tab}-pictured`).textContent = titleOf(store, found);
    await drawSides(store, found, tab);
    cursor.render();
  };
  store.subscribe((state, previous) => {
    if (DRAWN.some((name) => state.view[name] !== previous.view[name])) draw();
    else if (state.cursor !== previous.cursor || state.pinned !== previous.pinned) cursor.render();
  });
  onSystemTheme(draw);
  addEventListener("resize", draw);
  return {
    /** @param {Comparison} next */
    show: (next) => {
      found = next;
      return draw();
    },
  };
}

/**
 * @param {Store} store
 * @param {Comparison} found
 */
function titleOf(store, { stage, a }) {
  const { batch, head } = store.get().view;
  const where = [a.tensors.allowed.shape[0] > 1 ? t("input.sequence", { n: batch }) : "", STAGES[stage].heads === "none" ? "" : t("compare.head", { head })];
  return [stageName(stage), ...where].filter(Boolean).join(" · ");
}
