/** Plain controls: each names the piece of state it shows and changes. */

import { getPath, setPath } from "../state/paths.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {HTMLInputElement | HTMLSelectElement} Control */

/** @param {Store} store */
export function mountBindings(store) {
  const controls = /** @type {Control[]} */ ([...document.querySelectorAll("[data-bind]")]);
  const conditions = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-when]")]);
  for (const control of controls) control.addEventListener("input", () => change(store, control));
  const render = () => {
    for (const control of controls) show(control, read(store, control.dataset.bind ?? ""));
    for (const element of conditions) element.hidden = !holds(store, element.dataset.when ?? "");
  };
  store.subscribe((state, previous) => {
    if (state.document !== previous.document || state.view !== previous.view) render();
  });
  render();
}

/**
 * Paths that begin with "view." are about the view, all others about the document.
 * @param {Store} store
 * @param {string} path
 */
function read(store, path) {
  const { document: content, view } = store.get();
  return path.startsWith("view.") ? getPath(view, path.slice(5)) : getPath(content, path);
}

/**
 * @param {Store} store
 * @param {Control} control
 */
function change(store, control) {
  const path = control.dataset.bind ?? "";
  const value = control.type === "checkbox" ? /** @type {HTMLInputElement} */ (control).checked : control.value;
  if (path.startsWith("view.")) store.set({ view: setPath(store.get().view, path.slice(5), value) });
  else store.edit((content) => setPath(content, path, value));
}

/**
 * @param {Control} control
 * @param {any} value
 */
function show(control, value) {
  if (control instanceof HTMLInputElement && control.type === "checkbox") control.checked = Boolean(value);
  else if (control instanceof HTMLInputElement && control.type === "radio") control.checked = control.value === value;
  else if (control.value !== value) control.value = value;
}

/**
 * "path" holds when its value is true, "path=value" when it is that value.
 * @param {Store} store
 * @param {string} condition
 */
function holds(store, condition) {
  const [path, value] = condition.split("=");
  return value === undefined ? Boolean(read(store, path)) : read(store, path) === value;
}
