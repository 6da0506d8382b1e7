/** Start: the store, the panels, the first example. */

import { fetchExamples } from "./api/client.js";
import { startComputing } from "./compute.js";
import { byId } from "./dom.js";
import { mountAdvanced } from "./panels/advanced.js";
import { mountBindings } from "./panels/bindings.js";
import { mountHeader, loadExample } from "./panels/header.js";
import { mountHeads } from "./panels/heads.js";
import { mountInput } from "./panels/input.js";
import { mountMasks } from "./panels/masks.js";
import { mountPictures } from "./panels/pictures.js";
import { mountProblems } from "./panels/problem.js";
import { mountSteps } from "./panels/steps.js";
import { mountWarnings } from "./panels/warnings.js";
import { loadPlotly } from "./plot.js";
import { defaultDocument, defaultView } from "./state/defaults.js";
import { keepSaved, load } from "./storage.js";
import { createStore } from "./store.js";
import { translate } from "./strings.js";

translate(document);
const saved = load();
const store = createStore({
  document: saved?.document ?? defaultDocument(),
  view: { ...defaultView(), ...saved?.view },
  answer: null,
  answered: null,
  details: {},
  problem: null,
  status: "computing",
  cursor: null,
  cursorStage: "weights",
  pinned: false,
  examples: [],
});

loadPlotly();
mountHeader(store);
mountBindings(store);
const grids = mountInput(store);
mountHeads(store);
mountMasks(store);
mountAdvanced(store);
mountSteps(store);
mountProblems(store, grids);
mountWarnings(store);
mountPictures(store);
keepSaved(store);
byId("pictures").setAttribute("aria-busy", "false");
start();

/** The first visit opens with the first example; later ones with what was there. */
async function start() {
  const examples = fetchExamples().catch(() => []);
  if (saved) startComputing(store);
  store.set({ examples: await examples });
  if (saved) return;
  loadExample(store, store.get().examples[0]?.name ?? "");
  startComputing(store);
}
