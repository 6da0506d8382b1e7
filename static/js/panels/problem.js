/** Errors of the server, shown at the field that caused them; a banner where there is none. */

import { fieldOf } from "../api/fields.js";
import { byId, h } from "../dom.js";
import { t } from "../strings.js";
import { problemText, serverText } from "../strings/server.js";
import { controlsOf, slotOf } from "./places.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").FieldError} FieldError */

/**
 * @param {Store} store
 * @param {ReturnType<typeof import("./input.js").mountInput>} grids
 */
export function mountProblems(store, grids) {
  store.subscribe((state, previous) => {
    const tab = state.view.batch !== previous.view.batch || state.view.gridHead !== previous.view.gridHead;
    if (state.problem !== previous.problem || (state.problem && tab)) show(store, grids);
  });
}

/**
 * @param {Store} store
 * @param {ReturnType<typeof import("./input.js").mountInput>} grids
 */
function show(store, grids) {
  clear(grids);
  const { problem, document: content } = store.get();
  if (!problem) return;
  const unplaced = problem.errors.filter((error) => {
    const field = fieldOf(error.loc, content);
    const slot = slotOf(field.path);
    if (!slot) return true;
    fillSlot(slot, error, elsewhere(store, field));
    if (field.cell) markCell(store, grids, field.cell, slot.id);
    else markControl(field.path, slot.id);
    return false;
  });
  showBanner(problem, unplaced);
}

/** @param {ReturnType<typeof import("./input.js").mountInput>} grids */
function clear(grids) {
  for (const slot of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-error]"))) {
    slot.hidden = true;
    slot.textContent = "";
  }
  for (const control of document.querySelectorAll("[data-marked]")) {
    control.removeAttribute("aria-invalid");
    restoreDescription(/** @type {HTMLElement} */ (control));
  }
  for (const { grid } of Object.values(grids)) grid.markInvalid(null, "");
  byId("problem").hidden = true;
}

/**
 * The name of the sequence an error is about, when another one is on show.
 * @param {Store} store
 * @param {import("../api/fields.js").Field} field
 */
function elsewhere(store, { cell }) {
  const other = cell && cell.item >= 0 && cell.item !== store.get().view.batch;
  return other ? `${t("input.sequence", { n: cell.item })}: ` : "";
}

/**
 * @param {HTMLElement} slot
 * @param {FieldError} error
 * @param {string} before
 */
function fillSlot(slot, { message, expected }, before) {
  const rule = before + serverText(typeof expected === "string" && !message.includes(expected) ? `${message}: ${expected}` : message);
  slot.textContent = slot.textContent ? `${slot.textContent} ${rule}` : rule;
  slot.hidden = false;
  slot.closest("details")?.setAttribute("open", "");
}

/**
 * @param {Store} store
 * @param {ReturnType<typeof import("./input.js").mountInput>} grids
 * @param {import("../api/fields.js").CellPlace} cell
 * @param {string} describedBy
 */
function markCell(store, grids, cell, describedBy) {
  const { view } = store.get();
  const here = (cell.item < 0 || cell.item === view.batch) && (cell.head < 0 || cell.head === view.gridHead || cell.grid === "x" || cell.grid === "memory");
  if (here) grids[/** @type {"x"} */ (cell.grid)].grid.markInvalid(cell, describedBy);
}

/**
 * @param {string} path
 * @param {string} describedBy
 */
function markControl(path, describedBy) {
  const control = controlsOf(path).find((element) => element.checkVisibility());
  if (!control) return;
  control.dataset.marked = control.getAttribute("aria-describedby") ?? "";
  control.setAttribute("aria-invalid", "true");
  control.setAttribute("aria-describedby", `${control.dataset.marked} ${describedBy}`.trim());
}

/** @param {HTMLElement} control */
function restoreDescription(control) {
  if (control.dataset.marked) control.setAttribute("aria-describedby", control.dataset.marked);
  else control.removeAttribute("aria-describedby");
  delete control.dataset.marked;
}

/**
 * @param {import("../state/types.js").Problem} problem
 * @param {FieldError[]} unplaced errors that no field of the page is about
 */
function showBanner(problem, unplaced) {
  const banner = byId("problem");
  const details = unplaced.map(({ loc, message }) => (loc.length ? `${loc.join(".")}: ${serverText(message)}` : serverText(message)));
  const texts = details.length ? details : [problemText(problem)];
  banner.replaceChildren(h("strong", { text: t("problem.title") }), ...texts.map((text) => h("span", { text })), h("span", { class: "quiet", text: t("problem.kept") }));
  banner.hidden = false;
}
