/** One file: what it is, how its table is read, and what of it is put to use. */

import { h } from "../dom.js";
import { withoutUpload } from "../state/references.js";
import { t } from "../strings.js";
import { createModulePicker } from "./file_modules.js";
import { createTensorList } from "./file_tensors.js";
import { bytes, short } from "./file_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../transfers.js").Transfers} Transfers */
/** @typedef {import("../api/uploads.js").UploadAnswer} UploadAnswer */

/** How a text table may be read: the option of the form and its values, "auto" apart. */
const READINGS = /** @type {const} */ ({
  delimiter: ["comma", "tab", "semicolon", "space"],
  decimal: [".", ","],
  header: ["true", "false"],
  labels: ["true", "false"],
});
const SIGNS = /** @type {Record<string, string>} */ ({ ",": "comma", "\t": "tab", ";": "semicolon", " ": "space" });

/**
 * @param {Store} store
 * @param {Transfers} transfers
 * @param {string} id
 * @returns {{root: HTMLElement, update: () => void}}
 */
export function createFileCard(store, transfers, id) {
  const { document: content, files } = store.get();
  const note = content.uploads.find((upload) => upload.id === id);
  const answer = files.known[id];
  const name = note?.name ?? "";
  const remove = t("files.remove", { name });
  const head = h("div", { class: "file-head" }, [
    h("h3", { text: name }),
    h("p", { class: "says" }, [`${bytes(note?.size ?? 0)} · `, h("code", { text: short(id), title: `SHA-256 ${id}` }), ...beside(note?.beside ?? [])]),
    h("button", { type: "button", class: "tool", text: "×", title: remove, "aria-label": remove, on: { click: () => store.edit((document) => withoutUpload(document, id)) } }),
  ]);
  const parts = answer ? partsOf(store, transfers, answer) : [{ root: h("p", { class: "says", text: t(answer === null ? "files.gone" : "files.asking") }), update: () => {} }];
  return {
    root: h("article", { class: "file-card", "aria-label": name, data: { upload: id } }, [head, ...parts.map(({ root }) => root)]),
    update: () => parts.forEach(({ update }) => update()),
  };
}

/** @param {string[]} names */
function beside(names) {
  return names.length ? [` · ${t("files.beside", { names: names.length > 3 ? `${names.slice(0, 2).join(", ")} … (${names.length})` : names.join(", ") })}`] : [];
}

/**
 * @param {Store} store
 * @param {Transfers} transfers
 * @param {UploadAnswer} answer
 */
function partsOf(store, transfers, answer) {
  const still = (/** @type {HTMLElement} */ root) => ({ root, update: () => {} });
  return [
    ...("delimiter" in answer.detected ? [readings(store, transfers, answer)] : []),
    ...(answer.calls.length ? [still(run(transfers, answer))] : []),
    ...(answer.modules.length ? [createModulePicker(store, transfers, answer)] : []),
    ...(answer.tensors.length && !answer.calls.length ? [createTensorList(store, transfers, answer)] : []),
    ...(answer.tensors.length ? [] : [still(h("p", { class: "says", text: t("files.noTensors") }))]),
  ];
}

/**
 * @param {Transfers} transfers
 * @param {UploadAnswer} answer
 */
function run(transfers, answer) {
  const open = h("button", { type: "button", class: "button primary", text: t("files.openRun"), title: t("files.openRun.tip"), on: { click: () => transfers.openCall(answer, 0) } });
  return h("div", { class: "file-part row" }, [h("p", { text: t("files.run", { calls: answer.calls.length }) }), open]);
}

/**
 * What was detected of a table, each with a choice to read it otherwise.
 * @param {Store} store
 * @param {Transfers} transfers
 * @param {UploadAnswer} answer
 */
function readings(store, transfers, answer) {
  const said = () => store.get().document.uploads.find(({ id }) => id === answer.id)?.options ?? {};
  const able = transfers.canReread(answer.id);
  const fields = Object.entries(READINGS).map(([option, values]) => {
    const key = /** @type {keyof typeof READINGS} */ (option);
    const detected = detectedValue(answer.detected[key]);
    const select = h("select", { disabled: !able, data: { reading: option }, on: { change: () => transfers.reread(answer.id, otherwise(said(), option, select.value)) } }, [
      h("option", { value: "auto", text: t("files.detected", { value: readingText(key, detected) }) }),
      ...values.map((value) => h("option", { value, text: readingText(key, value) })),
    ]);
    return h("label", { class: "field", title: t(`files.${key}.tip`) }, [h("span", { text: t(`files.${key}`) }), select]);
  });
  const { rows, columns } = answer.detected;
  const root = h("div", { class: "file-part" }, [
    h("p", { class: "says", text: t("files.table", { rows, columns }) }),
    h("div", { class: "readings" }, fields),
    h("p", { class: "says", text: able ? "" : t("files.cannotReread"), hidden: able }),
  ]);
  const update = () => {
    for (const select of root.querySelectorAll("select")) select.value = said()[select.dataset.reading ?? ""] ?? "auto";
  };
  return { root, update };
}

/**
 * @param {Record<string, string>} said
 * @param {string} option
 * @param {string} value
 */
function otherwise(said, option, value) {
  const { [option]: _before, ...rest } = said;
  return value === "auto" ? rest : { ...rest, [option]: value };
}

/** @param {unknown} value as the server says it */
function detectedValue(value) {
  if (value === null) return "none";
  return String(value);
}

/**
 * @param {keyof typeof READINGS} key
 * @param {string} value
 */
function readingText(key, value) {
  const name = key === "decimal" ? (value === "," ? "comma" : "point") : SIGNS[value] ?? value;
  return t(/** @type {import("../strings.js").Key} */ (`files.${key}.${name}`));
}
