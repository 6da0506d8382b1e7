/** A mask drawn on a small grid: by click, by dragging, or with arrow keys and space. */

import { byId, h } from "../dom.js";
import { dimensions } from "../state/dimensions.js";
import { drawnCells } from "../state/mask_list.js";
import { currentLanguage, t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */

const MOST = 32;
const STEPS = /** @type {Record<string, [number, number]>} */ ({
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
});

/** @param {Store} store */
export function mountDrawnMask(store) {
  const grid = h("div", { class: "drawn-grid", role: "grid", "aria-label": t("masks.drawn.grid"), data: { i18nLabel: "masks.drawn.grid" } });
  const note = h("p", { class: "says" });
  const all = h("button", { type: "button", class: "button", text: t("masks.drawn.all"), data: { i18n: "masks.drawn.all" }, on: { click: () => save(store, []) } });
  byId("drawn-editor").append(grid, note, all);
  /** @type {boolean | null} what dragging paints, null while no button is down */
  let painting = null;
  let shape = "";

  grid.addEventListener("pointerdown", (event) => {
    const cell = placeOf(event.target);
    if (!cell) return;
    event.preventDefault();
    /** @type {HTMLElement} */ (event.target).focus();
    grid.setPointerCapture(event.pointerId);
    painting = !drawnCells(store.get().document)[cell.row][cell.column];
    paint(store, cell, painting);
  });
  grid.addEventListener("pointermove", (event) => {
    const cell = painting === null ? null : placeOf(document.elementFromPoint(event.clientX, event.clientY));
    if (cell && painting !== null) paint(store, cell, painting);
  });
  for (const end of ["pointerup", "pointercancel"]) grid.addEventListener(end, () => (painting = null));
  grid.addEventListener("keydown", (event) => onKey(store, grid, event));

  const render = () => {
    const { document: content } = store.get();
    if (!content.masks.drawn.on) return;
    const { T, S } = dimensions(content);
    const next = `${T},${S},${currentLanguage()}`;
    if (shape !== next) build(grid, Math.min(T, MOST), Math.min(S, MOST));
    shape = next;
    note.textContent = t("masks.drawn.large", { size: MOST });
    note.hidden = Math.max(T, S) <= MOST;
    fill(grid, drawnCells(content));
  };
  store.subscribe((state, previous) => {
    if (state.document !== previous.document || state.view.language !== previous.view.language) render();
  });
  render();
}

/**
 * @param {HTMLElement} grid
 * @param {number} rows
 * @param {number} columns
 */
function build(grid, rows, columns) {
  grid.style.setProperty("--columns", String(columns));
  grid.replaceChildren(
    ...Array.from({ length: rows }, (_, row) =>
      h("div", { role: "row", class: "drawn-row" },
        Array.from({ length: columns }, (__, column) =>
          h("div", { role: "gridcell", class: "drawn-cell", tabindex: row + column === 0 ? 0 : -1, "aria-label": t("masks.drawn.cell", { query: row, key: column }), data: { row, col: column } }),
        ),
      ),
    ),
  );
}

/**
 * @param {HTMLElement} grid
 * @param {boolean[][]} cells
 */
function fill(grid, cells) {
  for (const element of grid.querySelectorAll(".drawn-cell")) {
    const place = placeOf(element);
    if (place) element.setAttribute("aria-selected", String(cells[place.row][place.column]));
  }
}

/** @param {EventTarget | Element | null} target */
function placeOf(target) {
  if (!(target instanceof HTMLElement) || !target.classList.contains("drawn-cell")) return null;
  return { row: Number(target.dataset.row), column: Number(target.dataset.col) };
}

/**
 * @param {Store} store
 * @param {{row: number, column: number}} cell
 * @param {boolean} value
 */
function paint(store, { row, column }, value) {
  const cells = drawnCells(store.get().document);
  if (cells[row][column] === value) return;
  save(store, cells.map((line, t) => line.map((old, s) => (t === row && s === column ? value : old))));
}

/**
 * @param {Store} store
 * @param {boolean[][]} allowed
 */
function save(store, allowed) {
  store.edit((document) => ({ ...document, masks: { ...document.masks, drawn: { on: true, allowed } } }));
}

/**
 * @param {Store} store
 * @param {HTMLElement} grid
 * @param {KeyboardEvent} event
 */
function onKey(store, grid, event) {
  const cell = placeOf(event.target);
  if (!cell) return;
  const step = STEPS[event.key];
  if (step) {
    event.preventDefault();
    focusCell(grid, cell.row + step[0], cell.column + step[1]);
  } else if (event.key === " " || event.key === "Enter") {
    event.preventDefault();
    paint(store, cell, !drawnCells(store.get().document)[cell.row][cell.column]);
  }
}

/**
 * @param {HTMLElement} grid
 * @param {number} row
 * @param {number} column
 */
function focusCell(grid, row, column) {
  const next = grid.querySelector(`[data-row="${row}"][data-col="${column}"]`);
  if (!(next instanceof HTMLElement)) return;
  for (const cell of grid.querySelectorAll("[tabindex='0']")) cell.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
}
