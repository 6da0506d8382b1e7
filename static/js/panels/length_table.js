/** The window's numbers as a table, for reading, copying and screen readers. */

import { byId } from "../dom.js";
import { t } from "../strings.js";
import { pooledText, rangeText } from "./length_words.js";
import { stageName } from "./names.js";
import { MOST, table } from "./numbers_behind.js";

/** @typedef {import("../length_scene.js").Scene} Scene */

/** @param {() => Scene | null} sceneNow */
export function mountLengthTable(sceneNow) {
  const details = /** @type {HTMLDetailsElement} */ (byId("length-table"));
  /** @type {import("../api/view.js").Found | null} */
  let shown = null;
  const render = () => {
    const scene = sceneNow();
    const found = scene?.detail ?? scene?.overview;
    if (!details.open || !scene || !found?.finished || found === shown) return;
    shown = found;
    show(scene, found);
  };
  details.addEventListener("toggle", () => ((shown = null), render()));
  return render;
}

/**
 * @param {Scene} scene
 * @param {import("../api/view.js").Found} found
 */
function show({ subject }, found) {
  const { z, rowEdges, colEdges, reduced, single } = found;
  const note = byId("length-table-note");
  note.hidden = z.length <= MOST && z[0].length <= MOST;
  note.textContent = t("table.large", { size: MOST, rows: z.length, columns: z[0].length });
  const name = t("length.tableOf", { stage: stageName(subject.stage), head: subject.head, pooled: pooledText(reduced, subject.stage) });
  byId("length-numbers").replaceChildren(table({ values: z, rows: names(rowEdges), columns: names(colEdges) }, name, single));
}

/** @param {number[]} edges */
function names(edges) {
  return edges.slice(0, MOST + 1).flatMap((edge, index, all) => (index ? [rangeText([all[index - 1], edge])] : []));
}
