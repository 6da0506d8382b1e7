/** The picture's numbers as a table, for reading, copying and screen readers. */

import { wholeAnswer } from "../api/needed.js";
import { byId, h } from "../dom.js";
import { stageLabels, stageOf, stageRows } from "../figures/stages.js";
import { exact } from "../numbers.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { stageName } from "./names.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */

export const MOST = 64;

/** @param {Store} store */
export function mountNumbersTable(store) {
  const details = /** @type {HTMLDetailsElement} */ (byId("table-details"));
  const render = () => {
    if (details.open) show(store.get());
  };
  details.addEventListener("toggle", render);
  return render;
}

/** @param {AppState} state */
function show(state) {
  const answer = wholeAnswer(state);
  const { batch, head, stage: wanted } = state.view;
  const stage = answer ? stageOf(answer, wanted) : wanted;
  if (!answer?.tensors[STAGES[stage].tensor]) return;
  const rows = stageRows(answer, stage, batch, head);
  const labels = stageLabels(answer, stage, batch, rows[0].length);
  const note = byId("table-note");
  note.hidden = rows.length <= MOST && rows[0].length <= MOST;
  note.textContent = t("table.large", { size: MOST, rows: rows.length, columns: rows[0].length });
  byId("table-stage").textContent = t("table.of", { stage: stageName(stage), head });
  byId("numbers").replaceChildren(table(rows, labels.rows, labels.columns, answer.tensors[STAGES[stage].tensor].dtype === "f4"));
}

/**
 * @param {ArrayLike<number>[]} rows
 * @param {string[]} names of the rows
 * @param {string[]} columns
 * @param {boolean} single
 */
export function table(rows, names, columns, single) {
  const heads = columns.slice(0, MOST).map((name) => h("th", { scope: "col", text: name }));
  const lines = rows.slice(0, MOST).map((row, index) =>
    h("tr", {}, [
      h("th", { scope: "row", text: names[index] }),
      ...Array.from(row).slice(0, MOST).map((value) => h("td", { text: exact(value, single) })),
    ]),
  );
  return h("table", { class: "numbers-table" }, [h("thead", {}, [h("tr", {}, [h("td"), ...heads])]), h("tbody", {}, lines)]);
}
