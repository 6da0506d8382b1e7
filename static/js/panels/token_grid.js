/** One grid of cells: a row a token, its label first. Large grids show a window of rows and columns. */

import { h, setAttributes } from "../dom.js";
import { parsePaste } from "../paste.js";
import { currentLanguage, t } from "../strings.js";
import { cellOf, lastPage, pageOf, placeOf, range, stepOf } from "./grid_navigation.js";
import { adder, fillingRow, pagerOf } from "./grid_parts.js";
import { createGridTools } from "./grid_tools.js";

/** @typedef {import("../state/blocks.js").Block} Block */

/**
 * @typedef {object} GridActions
 * @property {(row: number, column: number, text: string) => void} set
 * @property {(row: number, column: number, pasted: import("../paste.js").Pasted) => void} paste
 * @property {() => void} addRow
 * @property {(at: number) => void} removeRow
 * @property {(from: number, to: number) => void} moveRow
 * @property {() => void} addColumn
 * @property {(column: number) => void} removeColumn
 * @property {(from: number, to: number) => void} moveColumn
 */

/**
 * @typedef {object} GridContent
 * @property {Block} block
 * @property {number} filling rows of zeros that complete the batch
 * @property {"right" | "left"} side
 * @property {string} padLabel
 * @property {boolean[]} masked tokens the padding mask hides
 */

const MOST_COLUMNS = 16;
const MOST_ROWS = 16;
const MOST_CHARACTERS = 10;

/**
 * @param {string} name
 * @param {GridActions} actions
 */
export function createTokenGrid(name, actions) {
  const table = h("table", { class: "token-grid", role: "presentation" });
  const pager = h("div", { class: "pagers" });
  const adders = h("div", { class: "adders" }, [adder("grid.addRow", actions.addRow), adder("grid.addColumn", actions.addColumn)]);
  const tools = createGridTools(actions, stand);
  const root = h("div", { class: "grid-frame" }, [h("div", { class: "grid-scroll" }, [table]), pager, adders, tools.root]);
  let window = { row: 0, column: 0 };
  /** The cell that one stands or last stood in. */
  let current = { row: 0, column: 0 };
  /** @type {GridContent | null} */
  let content = null;
  let drawn = "";

  table.addEventListener("input", (event) => {
    const cell = cellOf(event.target);
    if (cell) actions.set(cell.row, cell.column, cell.input.value);
  });
  table.addEventListener("paste", onPaste);
  table.addEventListener("keydown", onKey);
  table.addEventListener("focusin", (event) => {
    const cell = cellOf(event.target);
    if (!cell) return;
    stand(cell.row, cell.column);
    cell.input.select();
  });

  /** @param {ClipboardEvent} event */
  function onPaste(event) {
    const cell = cellOf(event.target);
    const pasted = parsePaste(event.clipboardData?.getData("text/plain") ?? "");
    if (!cell || !pasted) return;
    event.preventDefault();
    actions.paste(cell.row, cell.column, pasted);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const cell = cellOf(event.target);
    const step = cell && stepOf(event, cell.input);
    if (!cell || !step || !content) return;
    event.preventDefault();
    focus(cell.row + step.rows, cell.column + step.columns);
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  function focus(row, column) {
    if (!content) return;
    const { block } = content;
    if (row < 0 || row >= block.length || column < -1 || column >= block[0].cells.length) return;
    window = { row: pageOf(row, MOST_ROWS, window.row), column: pageOf(column, MOST_COLUMNS, window.column) };
    render();
    const input = table.querySelector(`[data-row="${row}"][data-col="${column}"]`);
    if (input instanceof HTMLInputElement) input.focus();
  }

  /**
   * Tab goes along the row that one stands in and then on to the buttons; arrows lead to other rows.
   * @param {number} row
   * @param {number} column -1 for the label, which belongs to no dimension
   */
  function stand(row, column) {
    if (!content) return;
    const { block } = content;
    const columns = block[0].cells.length;
    current = { row: Math.min(row, block.length - 1), column: Math.min(column < 0 ? current.column : column, columns - 1) };
    tools.update({ ...current, rows: block.length, columns });
    const open = current.row >= window.row && current.row < window.row + MOST_ROWS ? current.row : window.row;
    for (const input of table.querySelectorAll("input")) input.tabIndex = placeOf(input).row === open ? 0 : -1;
    for (const line of table.querySelectorAll("tr")) line.classList.toggle("is-current", line.dataset.tokenRow === String(current.row));
    for (const head of table.querySelectorAll("thead th")) head.classList.toggle("is-current", head.textContent === String(current.column));
  }

  /** Rebuild the cells only when the shape changed, so that typing keeps its caret. */
  function render() {
    if (!content) return;
    const { block, filling, side, masked, padLabel } = content;
    const width = block[0].cells.length;
    window.row = Math.min(window.row, lastPage(block.length, MOST_ROWS));
    window.column = Math.min(window.column, lastPage(width, MOST_COLUMNS));
    const shape = JSON.stringify([block.length, width, window, filling, side, padLabel, currentLanguage()]);
    if (shape !== drawn) build(block, width, filling, side, padLabel);
    drawn = shape;
    fill(block, masked);
    stand(current.row, current.column);
  }

  /**
   * @param {Block} block
   * @param {number} width
   * @param {number} filling
   * @param {string} side
   * @param {string} padLabel
   */
  function build(block, width, filling, side, padLabel) {
    const columns = range(window.column, Math.min(width, window.column + MOST_COLUMNS));
    const rows = range(window.row, Math.min(block.length, window.row + MOST_ROWS));
    const fillings = filling ? range(0, Math.min(filling, 8)).map(() => fillingRow(columns, padLabel)) : [];
    const tokens = rows.map((row) => tokenRow(row, columns));
    table.replaceChildren(
      h("thead", {}, [headRow(columns)]),
      h("tbody", {}, side === "left" ? [...fillings, ...tokens] : [...tokens, ...fillings]),
    );
    pager.replaceChildren(...pagers(block.length, width));
  }

  /** @param {number[]} columns */
  function headRow(columns) {
    const heads = columns.map((column) => h("th", { scope: "col", text: String(column) }));
    return h("tr", {}, [h("th", { scope: "col", text: t("grid.token") }), ...heads]);
  }

  /**
   * @param {number} row
   * @param {number[]} columns
   */
  function tokenRow(row, columns) {
    return h("tr", { data: { tokenRow: row } }, [
      h("th", { scope: "row" }, [cellInput(row, -1)]),
      ...columns.map((column) => h("td", {}, [cellInput(row, column)])),
    ]);
  }

  /**
   * @param {number} row
   * @param {number} column
   */
  function cellInput(row, column) {
    const label = column < 0 ? t("grid.label", { row }) : t("grid.cell", { grid: name, row, column });
    return h("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
      class: column < 0 ? "label-cell" : "number-cell",
      placeholder: column < 0 ? `t${row}` : "",
      "aria-label": label,
      data: { row, col: column, grid: name },
    });
  }

  /**
   * @param {Block} block
   * @param {boolean[]} masked
   */
  function fill(block, masked) {
    let longest = 4;
    for (const input of /** @type {NodeListOf<HTMLInputElement>} */ (table.querySelectorAll("input"))) {
      const { row, column } = placeOf(input);
      const text = column < 0 ? block[row].label : block[row].cells[column];
      if (input.value !== text) input.value = text;
      if (column >= 0) longest = Math.max(longest, text.length);
      input.closest("tr")?.classList.toggle("is-padding", masked[row] ?? false);
    }
    table.style.setProperty("--characters", String(Math.min(longest, MOST_CHARACTERS)));
  }

  /**
   * @param {number} rows
   * @param {number} columns
   */
  function pagers(rows, columns) {
    const turn = (/** @type {"row" | "column"} */ axis, /** @type {number} */ start) => () => {
      window = { ...window, [axis]: start };
      render();
    };
    return [
      ...(columns > MOST_COLUMNS ? [pagerOf("grid.columns", window.column, MOST_COLUMNS, columns, (start) => turn("column", start)())] : []),
      ...(rows > MOST_ROWS ? [pagerOf("grid.rows", window.row, MOST_ROWS, rows, (start) => turn("row", start)())] : []),
    ];
  }

  return {
    root,
    /** @param {GridContent} next */
    update(next) {
      content = next;
      render();
    },
    focus,
    /**
     * @param {{row: number, column: number} | null} place -1 for a whole row or column
     * @param {string} describedBy
     */
    markInvalid(place, describedBy) {
      for (const input of table.querySelectorAll("input")) {
        const { row, column } = placeOf(input);
        const bad = place && (place.row < 0 || row === place.row) && (place.column < 0 ? place.row >= 0 : column === place.column);
        setAttributes(input, { "aria-invalid": bad ? "true" : null, "aria-describedby": bad ? describedBy : null });
      }
    },
  };
}
