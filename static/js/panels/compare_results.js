/** The comparison that was answered: a line a stage, and the chosen stage as A, B and A − B. */

import { byId } from "../dom.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { onSystemTheme } from "../theme.js";
import { mountCompareCursor } from "./compare_cursor.js";
import { showStages } from "./compare_table.js";
import { stageName } from "./names.js";
import { DRAWN, drawSides } from "./side_by_side.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/comparison.js").Comparison} Comparison */

/** @param {Store} store */
export function mountCompareResults(store) {
  /** @type {Comparison | null} */
  let found = null;
  const cursor = mountCompareCursor(store, () => found, "compare");
  const render = async () => {
    byId("compare-results").hidden = !found;
    if (!found) return;
    showStages(store, found);
    await drawStage(store, found);
    cursor.render();
  };
  store.subscribe((state, previous) => {
    if (DRAWN.some((name) => state.view[name] !== previous.view[name])) render();
    else if (found && (state.cursor !== previous.cursor || state.pinned !== previous.pinned)) cursor.render();
  });
  onSystemTheme(render);
  addEventListener("resize", render);
  return {
    /** @param {Comparison | null} next */
    show: (next) => {
      found = next;
      return render();
    },
  };
}

/**
 * @param {Store} store
 * @param {Comparison} found
 */
async function drawStage(store, found) {
  const { view } = store.get();
  const { stage } = found;
  const head = STAGES[stage].heads === "none" ? "" : t("compare.head", { head: view.head });
  byId("compare-title").textContent = [stageName(stage), head].filter(Boolean).join(" · ");
  await drawSides(store, found, "compare");
}
