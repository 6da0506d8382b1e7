/** Taking a person to the control of a piece of state. */

/** @typedef {import("../store.js").Store} Store */

/** What a setting's control may be named by, beside its own path. */
const PARTS = ["", ".values", ".value", ".mode", ".kind", ".on"];

/**
 * The controls that show a piece of state, whether they are on show or not.
 * @param {string} path within the document
 * @returns {HTMLElement[]}
 */
export function controlsOf(path) {
  return PARTS.map((part) => CSS.escape(path + part))
    .map((name) => document.querySelector(`[data-bind="${name}"], [data-control="${name}"]`))
    .filter((element) => element instanceof HTMLElement);
}

/**
 * The part of the page that says what is wrong with a piece of state, or with what it belongs to.
 * @param {string} path
 * @returns {HTMLElement | null}
 */
export function slotOf(path) {
  for (let name = path; name; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const slot = document.querySelector(`[data-error="${CSS.escape(name)}"]`);
    if (slot instanceof HTMLElement && !slot.parentElement?.closest("[hidden]")) return slot;
  }
  return null;
}

/**
 * Opens whatever hides the control, and gives it the focus.
 * @param {Store} store
 * @param {string} path
 */
export function goToControl(store, path) {
  store.view({ setup: true });
  const hidden = controlsOf(path)[0] ?? slotOf(path)?.parentElement;
  if (hidden) goTo(hidden);
}

/** @param {HTMLElement} element a control, or a section without one */
export function goTo(element) {
  for (let fold = element.closest("details:not([open])"); fold; fold = element.closest("details:not([open])")) fold.setAttribute("open", "");
  if (!element.matches("input, select, textarea, button")) element.tabIndex = -1;
  element.scrollIntoView({ block: "center" });
  element.focus({ preventScroll: true });
}
