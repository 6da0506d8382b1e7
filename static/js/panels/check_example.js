/** A check to look at without numbers of one's own: this run with a classic mistake in it. */

import { fetchMistake, fetchMistakes } from "../api/check.js";
import { byId, h } from "../dom.js";
import { shortestFloat32 } from "../numbers.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { mistakeTitle } from "../strings/mistakes.js";
import { nested } from "../tensors.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../tensors.js").Tensor} Tensor */

const AFTER_REST_MS = 300;

/** @param {Store} store */
export function mountCheckExample(store) {
  const select = /** @type {HTMLSelectElement} */ (byId("check-example"));
  let controller = new AbortController();
  let timer = 0;
  /** @type {string[]} */
  let names = [];
  /** @type {import("../state/types.js").Document | null} the document whose mistakes are listed */
  let listed = null;

  const render = () => {
    const chosen = select.value;
    select.replaceChildren(h("option", { value: "", text: t("check.example.none") }), ...names.map((name) => h("option", { value: name, text: mistakeTitle(name) })));
    select.value = names.includes(chosen) ? chosen : "";
  };
  async function list() {
    const { document: content } = store.get();
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    const found = await fetchMistakes(toSpec(content), signal).catch(() => []);
    if (signal.aborted) return;
    [names, listed] = [found, content];
    render();
  }
  const soon = () => {
    const { view, document: content, status } = store.get();
    clearTimeout(timer);
    if (view.tab === "check" && status === "ready" && listed !== content) timer = window.setTimeout(list, AFTER_REST_MS);
  };
  select.addEventListener("change", async () => {
    if (!select.value) return;
    const made = await fetchMistake(toSpec(store.get().document), select.value).catch(() => null);
    if (!made) return;
    const { own } = store.get();
    store.set({ own: { ...own, given: { ...own.given, weights: textOf(made.weights), output: textOf(made.output) } } });
  });
  store.subscribe((state, previous) => {
    if (state.view.language !== previous.view.language) render();
    if (state.view.tab !== previous.view.tab || state.document !== previous.document || state.status !== previous.status) soon();
  });
  render();
  soon();
}

/**
 * A row a line, each number in as few digits as name it.
 * @param {Tensor} tensor
 */
function textOf(tensor) {
  const text = tensor.dtype === "f4" ? shortestFloat32 : String;
  const plain = (/** @type {number} */ value) => (Number.isFinite(value) ? text(value) : `"${value}"`);
  /** @param {any} value @returns {string} */
  const written = (value) => {
    if (!Array.isArray(value)) return plain(value);
    return Array.isArray(value[0]) ? `[${value.map(written).join(",\n")}]` : `[${value.map(plain).join(", ")}]`;
  };
  return written(nested(tensor));
}
