/** Text into a model that the server offers: which one, what text, how far it is; the run opens on the page. */

import { fetchModels } from "../api/texts.js";
import { byId, h } from "../dom.js";
import { numberOrList } from "../numbers.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";
import { refusalText } from "./file_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").Texts} Texts */
/** @typedef {import("../runs.js").Runs} Runs */

/**
 * @param {Store} store
 * @param {Runs} runs
 */
export function mountTexts(store, runs) {
  const select = /** @type {HTMLSelectElement} */ (byId("texts-model"));
  let asked = false;
  /** @param {Partial<Texts>} change */
  const set = (change) => store.set({ texts: { ...store.get().texts, ...change } });

  async function ask() {
    asked = true;
    set({ models: await fetchModels().catch(() => []) });
  }

  function run() {
    const { view } = store.get();
    const model = chosen(store);
    const text = view.text.split("\n").filter((line) => line.trim() !== "");
    if (!model) return;
    if (text.length === 0) return set({ problem: { title: t("texts.nothing"), detail: "", status: 0, errors: [] } });
    const layers = view.layers.trim() ? [numberOrList(view.layers)].flat() : null;
    runs.run({ model: model.name, text, layers });
  }

  select.addEventListener("change", () => store.view({ model: select.value }));
  byId("texts-run").addEventListener("click", run);
  byId("texts-form").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  });
  byId("texts-cancel").addEventListener("click", () => {
    runs.cancel();
    byId("texts-run").focus();
  });
  const render = () => {
    const { view } = store.get();
    byId("texts").hidden = view.source !== "text";
    if (view.source !== "text") return;
    if (!asked) ask();
    show(store, select);
  };
  store.subscribe((state, previous) => {
    if (state.texts !== previous.texts || state.view !== previous.view) render();
  });
  render();
}

/** @param {Store} store */
function chosen(store) {
  const { texts, view } = store.get();
  const models = texts.models ?? [];
  return models.find(({ name }) => name === view.model) ?? models.find(({ available }) => available) ?? models[0];
}

/**
 * @param {Store} store
 * @param {HTMLSelectElement} select
 */
function show(store, select) {
  const { models, running, problem } = store.get().texts;
  const model = chosen(store);
  byId("texts-none").hidden = model !== undefined;
  byId("texts-none").textContent = t(models === null ? "texts.asking" : "texts.none");
  byId("texts-form").hidden = model === undefined;
  if (!models || !model) return;
  select.replaceChildren(...models.map(({ name, available }) => h("option", { value: name, text: available ? name : t("texts.unavailable", { name }) })));
  select.value = model.name;
  byId("texts-reason").textContent = model.available ? "" : serverText(model.reason ?? "");
  byId("texts-reason").hidden = byId("texts-reason").textContent === "";
  /** @type {HTMLButtonElement} */ (byId("texts-run")).disabled = running !== null || !model.available;
  byId("texts-error").hidden = problem === null;
  byId("texts-error").textContent = problem ? refusalText(problem) : "";
  byId("texts-progress").hidden = running === null;
  if (running) showProgress(running);
}

/** @param {{done: number, of: number}} running */
function showProgress({ done, of }) {
  const bar = /** @type {HTMLProgressElement} */ (byId("texts-bar"));
  byId("texts-says").textContent = of ? t("texts.running", { done, of }) : t("texts.loading");
  if (of) Object.assign(bar, { max: of, value: done });
  else bar.removeAttribute("value");
}
