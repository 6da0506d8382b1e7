/** The picture's numbers as a table, for reading, copying and screen readers. */

import { headRows } from "../api/tensors.js";
import { byId, h } from "../dom.js";
import { exact } from "../numbers.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */

const MOST = 64;

/** @param {Store} store */
export function mountNumbersTable(store) {
  const details = /** @type {HTMLDetailsElement} */ (byId("table-details"));
  const stage = /** @type {HTMLSelectElement} */ (byId("table-stage"));
  const render = () => {
    if (details.open) show(store.get(), stage.value);
  };
  details.addEventListener("toggle", render);
  stage.addEventListener("change", render);
  return render;
}

/**
 * @param {AppState} state
 * @param {string} stage
 */
function show({ answer, view }, stage) {
  if (!answer) return;
  const { tensors, tokens } = answer;
  const output = stage === "output";
  const tensor = tensors[stage];
  const rows = output ? outputRows(tensor, view.batch) : headRows(tensor, view.batch, view.head);
  const names = output ? Array.from(rows[0], (_, dim) => String(dim)) : tokens.keys[view.batch];
  const note = byId("table-note");
  note.hidden = rows.length <= MOST && names.length <= MOST;
  note.textContent = t("table.large", { size: MOST, rows: rows.length, columns: names.length });
  byId("numbers").replaceChildren(table(rows, tokens.queries[view.batch], names, tensor.dtype === "f4"));
}

/**
 * @param {import("../api/tensors.js").Tensor} output [B][T][E]
 * @param {number} batch
 */
function outputRows({ shape: [B, T, E], data }, batch) {
  return headRows({ shape: [B, 1, T, E], data, dtype: "" }, batch, 0);
}

/**
 * @param {ArrayLike<number>[]} rows
 * @param {string[]} queries
 * @param {string[]} columns
 * @param {boolean} single
 */
function table(rows, queries, columns, single) {
  const heads = columns.slice(0, MOST).map((name) => h("th", { scope: "col", text: name }));
  const lines = rows.slice(0, MOST).map((row, index) =>
    h("tr", {}, [
      h("th", { scope: "row", text: queries[index] }),
      ...Array.from(row).slice(0, MOST).map((value) => h("td", { text: exact(value, single) })),
    ]),
  );
  return h("table", { class: "numbers-table" }, [h("thead", {}, [h("tr", {}, [h("td"), ...heads])]), h("tbody", {}, lines)]);
}
