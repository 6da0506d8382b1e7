/** The advanced fields with an act of their own: a new seed, fields kept aside, the specification as JSON. */

import { byId, h } from "../dom.js";
import { hiddenFault, isTooDeep, placeOfFault } from "../json_fault.js";
import { compactJson } from "../state/comparison.js";
import { fromSpec } from "../state/from_spec.js";
import { removeAt } from "../state/blocks.js";
import { setPath } from "../state/paths.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Document} Document */

/** @param {Store} store */
export function mountAdvanced(store) {
  byId("new-seed").addEventListener("click", () => {
    const seed = String(crypto.getRandomValues(new Uint16Array(1))[0]);
    store.edit((document) => setPath(document, "settings.projection.seed", seed));
  });
  mountSpecification(store);
  const render = () => showAlso(store);
  store.subscribe((state, previous) => {
    if (state.document.also !== previous.document.also || state.view.language !== previous.view.language) render();
  });
  render();
}

/** @param {Store} store */
function showAlso(store) {
  const { also } = store.get().document;
  const rows = Object.entries(also).flatMap(([name, value]) =>
    Array.isArray(value) && (name === "masks" || name === "biases")
      ? value.map((item, index) => alsoRow(store, listName(name, item), (document) => withoutItem(document, name, index)))
      : [alsoRow(store, name, (document) => withoutField(document, name))],
  );
  byId("also-list").replaceChildren(...rows);
  byId("also").hidden = rows.length === 0;
}

/** What the numbers of a matrix can mean. */
const CONVENTIONS = /** @type {const} */ (["allowed", "blocked", "additive"]);

/**
 * @param {string} name
 * @param {any} item
 */
function listName(name, item) {
  const convention = CONVENTIONS.find((known) => known === item?.convention);
  if (name === "masks" && convention) return t(`files.role.mask.${convention}`);
  const kind = String(item?.kind);
  return name === "masks" ? t("also.mask", { kind }) : t("also.bias", { kind });
}

/**
 * @param {Store} store
 * @param {string} text
 * @param {(document: Document) => Document} remove
 */
function alsoRow(store, text, remove) {
  const label = t("also.remove", { name: text });
  return h("li", {}, [
    h("span", { text }),
    h("button", { type: "button", class: "tool", text: "×", title: label, "aria-label": label, on: { click: () => store.edit(remove) } }),
  ]);
}

/**
 * @param {Document} document
 * @param {string} name
 */
function withoutField(document, name) {
  const { [name]: _removed, ...also } = document.also;
  return { ...document, also };
}

/**
 * @param {Document} document
 * @param {string} name
 * @param {number} index
 */
function withoutItem(document, name, index) {
  const list = removeAt(document.also[name], index);
  return list.length ? { ...document, also: { ...document.also, [name]: list } } : withoutField(document, name);
}

/** @param {Store} store */
function mountSpecification(store) {
  const details = /** @type {HTMLDetailsElement} */ (byId("specification"));
  const area = /** @type {HTMLTextAreaElement} */ (byId("spec-text"));
  let edited = false;
  const show = () => {
    if (details.open && !edited) area.value = compactJson(toSpec(store.get().document));
  };
  const reset = () => {
    edited = false;
    showSpecError("");
    show();
  };
  area.addEventListener("input", () => (edited = true));
  details.addEventListener("toggle", show);
  byId("spec-reset").addEventListener("click", reset);
  details.addEventListener("toggle", () => {
    // A caret left in a folded text makes Chromium look for it through the whole page at every change.
    if (!details.open) getSelection()?.removeAllRanges();
  });
  byId("spec-apply").addEventListener("click", () => {
    const spec = readJson(area.value);
    if (typeof spec === "string") return showSpecError(spec);
    store.edit(() => fromSpec(spec));
    reset();
  });
  store.subscribe((state, previous) => {
    if (state.document !== previous.document) show();
  });
}

/** @param {string} message */
function showSpecError(message) {
  const error = byId("spec-error");
  error.textContent = message;
  error.hidden = message === "";
}

/**
 * @param {string} text
 * @returns {Record<string, any> | string} the specification, or why it is none
 */
function readJson(text) {
  try {
    const value = JSON.parse(text);
    const object = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!object) return t("spec.notObject");
    if (isTooDeep(value)) return t("spec.tooDeep");
    const hidden = hiddenFault(text);
    return hidden ? t(`spec.${hidden.kind}`, hidden) : value;
  } catch (error) {
    if (error instanceof RangeError) return t("spec.tooDeep");
    return t("spec.unreadable", placeOfFault(/** @type {SyntaxError} */ (error), text));
  }
}
