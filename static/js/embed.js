/** The pictures alone, for an iframe: the state comes from the link's fragment and is kept nowhere. */

import { fetchExamples } from "./api/client.js";
import { startComputing } from "./compute.js";
import { byId } from "./dom.js";
import { loadExample } from "./panels/header.js";
import { mountPictures } from "./panels/pictures.js";
import { mountWarnings } from "./panels/warnings.js";
import { loadPlotly } from "./plot.js";
import { fromLines, stateOf } from "./state/kept.js";
import { fromFragment } from "./state/link.js";
import { createStore, startingState } from "./store.js";
import { setLanguage, t, translate } from "./strings.js";
import { problemText } from "./strings/server.js";
import { showTheme } from "./theme.js";

/** @typedef {import("./store.js").AppState} AppState */

loadPlotly();
const linked = await linkedState();
const store = createStore({ ...startingState(), ...linked });
store.subscribe((state, previous) => {
  if (state.view !== previous.view) wear(state);
  if (state.status !== previous.status || state.problem !== previous.problem) showStatus(state);
});
wear(store.get());
mountWarnings(store);
mountPictures(store);
addEventListener("hashchange", async () => {
  const state = await linkedState();
  if (state) store.set(state);
});
start();

async function start() {
  if (!linked) {
    store.set({ examples: await fetchExamples() });
    loadExample(store, store.get().examples[0].name);
  }
  startComputing(store);
}

/** What the link says, as far as it can be read; null where it says nothing. */
async function linkedState() {
  const fragment = await fromFragment(location.hash);
  return fragment && stateOf(fromLines(fragment.lines).kept);
}

/** @param {AppState} state */
function wear({ view }) {
  showTheme(view.theme);
  setLanguage(view.language);
  translate(document);
  const link = /** @type {HTMLAnchorElement} */ (byId("open-whole"));
  link.href = `./${location.hash}`;
}

/** @param {AppState} state */
function showStatus({ status, problem }) {
  if (status !== "ready") document.documentElement.dataset.state = status;
  const banner = byId("problem");
  banner.hidden = problem === null;
  banner.textContent = problem ? `${t("problem.title")}: ${problemText(problem)}` : "";
}
