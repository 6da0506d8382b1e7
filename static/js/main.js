/** Start: the store, the panels, the first example. */

import { keepInAddress, restore } from "./address.js";
import { fetchExamples } from "./api/client.js";
import { startComputing } from "./compute.js";
import { byId } from "./dom.js";
import { mountAdvanced } from "./panels/advanced.js";
import { mountBindings } from "./panels/bindings.js";
import { mountCaptured } from "./panels/captured.js";
import { mountCompare } from "./panels/compare.js";
import { mountExport } from "./panels/export.js";
import { mountFileNotice } from "./panels/file_notice.js";
import { mountFiles } from "./panels/files.js";
import { mountFolds } from "./panels/folds.js";
import { mountGenerator } from "./panels/generator.js";
import { mountHeader, loadExample } from "./panels/header.js";
import { mountHeads } from "./panels/heads.js";
import { mountInput } from "./panels/input.js";
import { mountInspector } from "./panels/inspector.js";
import { mountLanguage } from "./panels/language.js";
import { mountLaterTabs } from "./panels/later.js";
import { mountMasks } from "./panels/masks.js";
import { mountMenus } from "./panels/menus.js";
import { mountNumbersBehind } from "./panels/numbers_behind.js";
import { mountPictures } from "./panels/pictures.js";
import { mountProblems } from "./panels/problem.js";
import { mountShare } from "./panels/share.js";
import { mountSteps } from "./panels/steps.js";
import { mountTabs } from "./panels/tabs.js";
import { mountTexts } from "./panels/texts.js";
import { mountTokenMarks } from "./panels/token_marks.js";
import { mountUndo } from "./panels/undo.js";
import { mountWarnings } from "./panels/warnings.js";
import { loadPlotly } from "./plot.js";
import { startRuns } from "./runs.js";
import { keepSaved } from "./storage.js";
import { createStore, startingState } from "./store.js";
import { startTransfers } from "./transfers.js";

loadPlotly();
const saved = await restore();
const store = createStore({ ...startingState(), ...saved?.state, notice: saved?.notice ?? null });

mountLanguage(store);
mountHeader(store);
mountBindings(store);
const grids = mountInput(store);
mountGenerator(store);
const transfers = startTransfers(store, Number(byId("file-input").dataset.most));
mountFiles(store, transfers);
const runs = startRuns(store, transfers);
mountFileNotice(store, transfers, runs);
mountCaptured(store, transfers);
mountTexts(store, runs);
mountHeads(store);
mountMasks(store);
mountAdvanced(store);
mountFolds(store);
mountSteps(store);
mountProblems(store, grids);
mountWarnings(store);
mountPictures(store);
mountInspector(store);
mountTokenMarks(store);
mountTabs(store);
mountCompare(store);
mountLaterTabs(store);
mountNumbersBehind();
mountMenus();
const writeAddress = keepInAddress(store);
mountShare(store, writeAddress);
mountExport(store, writeAddress);
keepSaved(store);
byId("pictures").setAttribute("aria-busy", "false");
start();

/** The first visit opens with the first example; later ones with what was there. */
async function start() {
  const examples = fetchExamples().catch(() => []);
  if (saved?.state) startComputing(store);
  if (saved?.state) mountUndo(store, saved.before);
  store.set({ examples: await examples });
  if (!saved?.state) {
    loadExample(store, store.get().examples[0]?.name ?? "");
    startComputing(store);
    mountUndo(store, null);
  }
  transfers.openAddressed();
}
