/** Taking the run elsewhere: as a picture, as numbers, as a specification, in another page. */

import { ProblemError, fetchExport } from "../api/client.js";
import { byId, h } from "../dom.js";
import { copy, download } from "../files.js";
import { SPECIFICATION_FILE, curlSnippet, embedSnippet, pythonSnippet } from "../snippets.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { problemText } from "../strings/server.js";
import { mountExportPicture } from "./export_picture.js";

/** @typedef {import("../store.js").Store} Store */

/** What the server computes for every run. */
const TENSORS = ["q", "k", "v", "dot_products", "scores", "masked_scores", "weights", "heads", "output", "allowed", "blocked_by", "logsumexp"];

/**
 * @param {Store} store
 * @param {() => Promise<void>} writeAddress
 */
export function mountExport(store, writeAddress) {
  const menu = /** @type {HTMLDetailsElement} */ (byId("export"));
  const showPicture = mountExportPicture(store, say);
  const render = () => {
    if (!menu.open) return;
    showTensors(store);
    showPicture();
  };
  menu.addEventListener("toggle", () => {
    say("");
    render();
  });
  store.subscribe((state, previous) => {
    if (state.view.language !== previous.view.language) say("");
    if (state.view !== previous.view || state.answer !== previous.answer) render();
  });
  onClick("export-tensors", () => saveTensors(store));
  onClick("export-html", () => save(store, "html", undefined, "attention.html"));
  onClick("export-spec", () => {
    download(new Blob([specText(store)], { type: "application/json" }), SPECIFICATION_FILE);
    say(t("export.saved", { file: SPECIFICATION_FILE }));
  });
  onClick("copy-spec", () => copied(specText(store)));
  onClick("copy-curl", () => copied(curlSnippet(toSpec(store.get().document))));
  onClick("copy-python", () => copied(pythonSnippet(toSpec(store.get().document))));
  onClick("copy-embed", async () => {
    await writeAddress();
    await copied(embedSnippet(location.hash, t("page.name")));
  });
}

/**
 * @param {string} id
 * @param {() => unknown} act
 */
function onClick(id, act) {
  byId(id).addEventListener("click", () => Promise.resolve(act()).catch((error) => say(failed(error))));
}

/** @param {string} text */
function say(text) {
  byId("export-says").textContent = text;
}

/** @param {unknown} error */
function failed(error) {
  const reason = error instanceof ProblemError ? problemText(error.problem) : String(error);
  return t("export.failed", { reason });
}

/** @param {string} text */
async function copied(text) {
  say(t((await copy(text)) ? "export.copied" : "export.cannotCopy"));
}

/** @param {Store} store */
function specText(store) {
  return `${JSON.stringify(toSpec(store.get().document), null, 1)}\n`;
}

/** @param {Store} store */
function showTensors(store) {
  const select = /** @type {HTMLSelectElement} */ (byId("export-tensor"));
  const names = tensorNames(store);
  const chosen = select.value;
  select.replaceChildren(h("option", { value: "", text: t("export.all") }), ...names.map((name) => h("option", { value: name, text: name })));
  select.value = names.includes(chosen) ? chosen : "";
}

/** @param {Store} store */
function tensorNames(store) {
  const { settings, also } = store.get().document;
  return settings.dropout.on || also.dropout ? [...TENSORS, "dropped_weights"] : TENSORS;
}

/** @param {Store} store */
async function saveTensors(store) {
  const name = /** @type {HTMLSelectElement} */ (byId("export-tensor")).value;
  const format = /** @type {HTMLSelectElement} */ (byId("export-format")).value;
  await save(store, format, name ? [name] : tensorNames(store), `${name || "attention"}.${format}`);
}

/**
 * @param {Store} store
 * @param {string} format
 * @param {string[] | undefined} tensors
 * @param {string} file
 */
async function save(store, format, tensors, file) {
  say(t("status.computing"));
  download(await fetchExport({ spec: toSpec(store.get().document), format, tensors }), file);
  say(t("export.saved", { file }));
}
