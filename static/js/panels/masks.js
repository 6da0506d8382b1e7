/** The masks that need more than a field: padding by token, documents by token, a mask drawn by hand. */

import { byId, h } from "../dom.js";
import { dimensions, keyLengths } from "../state/dimensions.js";
import { keepOf, lengthValues, paddingIsOn, ragged, switchPadding } from "../state/padding.js";
import { documentId } from "../state/mask_list.js";
import { currentLanguage, t } from "../strings.js";
import { mountDrawnMask } from "./drawn_mask.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Document} Document */

const MOST_TOKENS = 64;
const MOST_CHIPS = 24;

/** @param {Store} store */
export function mountMasks(store) {
  mountDrawnMask(store);
  byId("padding").addEventListener("change", ({ target }) => {
    store.edit((document) => switchPadding(document, /** @type {HTMLInputElement} */ (target).checked));
  });
  const render = () => {
    showPadding(store);
    showDocuments(store);
  };
  store.subscribe((state, previous) => {
    const other = state.document !== previous.document || state.view.batch !== previous.view.batch || state.answer !== previous.answer;
    if (other) render();
  });
  render();
}

/**
 * Labels of the keys of one sequence as they are sent, the cache in front.
 * @param {Store} store
 * @param {number} item
 */
function keyLabels(store, item) {
  const { answer, document: content } = store.get();
  const { S } = dimensions(content);
  const labels = answer?.tokens.keys[item] ?? [];
  return Array.from({ length: S }, (_, key) => labels[key] ?? `t${key}`);
}

/**
 * Replace the children unless one of them has the focus and only its value changed.
 * @param {HTMLElement} root
 * @param {string} shape
 * @param {() => Node[]} build
 */
function rebuild(root, shape, build) {
  const worded = currentLanguage() + shape;
  if (root.dataset.shape === worded) return;
  root.dataset.shape = worded;
  root.replaceChildren(...build());
}

/** @param {Store} store */
function showPadding(store) {
  const { document: content } = store.get();
  const { padding } = content.masks;
  const root = byId("padding-editor");
  const on = paddingIsOn(content);
  /** @type {HTMLInputElement} */ (byId("padding")).checked = on;
  root.hidden = !on;
  if (!on) return;
  const { B, S, P } = dimensions(content);
  const labels = Array.from({ length: B }, (_, item) => keyLabels(store, item));
  rebuild(root, JSON.stringify([B, S, P, padding.mode, ragged(content), labels]), () => [
    ...labels.map((list, item) => paddingRow(store, item, list.slice(P))),
    h("button", { type: "button", class: "button", text: t("masks.padding.reset"), hidden: padding.mode === "auto" || !ragged(content), on: { click: () => setPadding(store, { mode: "auto" }) } }),
  ]);
  const keep = keepOf(content);
  const values = lengthValues(content);
  for (const input of root.querySelectorAll("input")) {
    const text = String(padding.mode === "lengths" ? padding.lengths[Number(input.dataset.item)] ?? "" : values[Number(input.dataset.item)]);
    if (input.value !== text) input.value = text;
  }
  for (const chip of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".token-chip"))) {
    chip.setAttribute("aria-pressed", String(keep[Number(chip.dataset.item)][P + Number(chip.dataset.key)]));
  }
}

/**
 * @param {Store} store
 * @param {Partial<Document["masks"]["padding"]>} change
 */
function setPadding(store, change) {
  store.edit((document) => ({
    ...document,
    masks: { ...document.masks, padding: { ...document.masks.padding, ...change } },
  }));
}

/**
 * @param {Store} store
 * @param {number} item
 * @param {string[]} labels
 */
function paddingRow(store, item, labels) {
  const length = h("input", {
    type: "text",
    class: "length-input",
    "aria-label": t("masks.padding.length", { n: item }),
    data: { item, control: `masks.padding.lengths.${item}` },
    on: { input: (event) => setLength(store, item, event.target.value) },
  });
  if (labels.length > MOST_CHIPS) {
    return h("div", { class: "padding-row" }, [length, h("span", { class: "says", text: t("masks.padding.of", { total: labels.length }) })]);
  }
  const chips = labels.map((label, key) =>
    h("button", { type: "button", class: "token-chip", text: label, "aria-label": `${t("masks.padding.keep", { key, n: item })}: ${label}`, data: { item, key }, on: { click: () => flip(store, item, key) } }),
  );
  return h("div", { class: "padding-row" }, [length, h("div", { class: "token-chips" }, chips)]);
}

/**
 * @param {Store} store
 * @param {number} item
 * @param {string} text
 */
function setLength(store, item, text) {
  const { document: content } = store.get();
  const lengths = lengthValues(content).map(String);
  setPadding(store, { mode: "lengths", lengths: lengths.map((own, index) => (index === item ? text : own)) });
}

/**
 * @param {Store} store
 * @param {number} item
 * @param {number} key
 */
function flip(store, item, key) {
  const { document: content } = store.get();
  const { P } = dimensions(content);
  const keep = keepOf(content).map((row) => row.slice(P));
  setPadding(store, {
    mode: "keep",
    keep: keep.map((row, index) => (index === item ? row.map((real, place) => (place === key ? !real : real)) : row)),
  });
}

/** @param {Store} store */
function showDocuments(store) {
  const { document: content, view } = store.get();
  if (!content.masks.documents.on) return;
  const root = byId("documents-editor");
  const item = Math.min(view.batch, keyLengths(content).length - 1);
  const labels = keyLabels(store, item).slice(0, MOST_TOKENS);
  rebuild(root, JSON.stringify([item, labels]), () => [
    h("div", { class: "id-row" }, labels.map((label, key) => idField(store, item, key, label))),
  ]);
  root.querySelectorAll("input").forEach((input, key) => {
    const text = documentId(content, item, key);
    if (input.value !== text) input.value = text;
  });
}

/**
 * @param {Store} store
 * @param {number} item
 * @param {number} key
 * @param {string} label
 */
function idField(store, item, key, label) {
  const input = h("input", {
    type: "text",
    "aria-label": t("masks.documents.id", { token: label }),
    on: { input: (event) => setId(store, item, key, event.target.value) },
  });
  return h("label", { class: "id-field" }, [h("span", { text: label }), input]);
}

/**
 * Every token's id is written out, so that changing one leaves the others as they were.
 * @param {Store} store
 * @param {number} item
 * @param {number} key
 * @param {string} text
 */
function setId(store, item, key, text) {
  store.edit((document) => {
    const { B, S } = dimensions(document);
    const ids = Array.from({ length: B }, (_, index) =>
      Array.from({ length: S }, (__, place) => (index === item && place === key ? text : documentId(document, index, place))),
    );
    return { ...document, masks: { ...document.masks, documents: { ...document.masks.documents, ids } } };
  });
}
