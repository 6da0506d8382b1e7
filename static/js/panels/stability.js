/** The run in fewer bits, without the softmax's maximum and with finite fills: a table of trials, one on show. */

import { ProblemError } from "../api/client.js";
import { fetchStability } from "../api/stability.js";
import { byId } from "../dom.js";
import { defaultTools } from "../state/defaults.js";
import { toSpec } from "../state/to_spec.js";
import { loadExample } from "./header.js";
import { mountLensPictures } from "./lens_pictures.js";
import { showTrial } from "./stability_shown.js";
import { showTrials } from "./stability_table.js";
import { mountTabRequest } from "./tab_request.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("../api/stability.js").Stability} Stability */

/** @param {Store} store */
export function mountStability(store) {
  /** @type {Stability | null} */
  let found = null;
  const pictures = mountLensPictures(store, "stability");
  for (const name of /** @type {const} */ (["dtype", "stage"])) {
    const select = /** @type {HTMLSelectElement} */ (byId(`stability-${name}`));
    select.addEventListener("change", () => store.tool("stability", { [name]: select.value }));
  }
  byId("stability-example").addEventListener("click", () => loadExample(store, "stability"));

  const render = () => {
    if (!found) return;
    showTrials(store, found);
    showTrial(store, found);
  };
  mountTabRequest(store, {
    tab: "stability",
    of: ({ document: content, tools }) => [content, tools.stability],
    ask,
    show: async (answer) => {
      found = answer;
      render();
      await pictures.show(answer.comparison);
    },
  });
  const showFields = () => {
    const { stability } = store.get().tools;
    for (const name of /** @type {const} */ (["dtype", "stage"])) /** @type {HTMLSelectElement} */ (byId(`stability-${name}`)).value = stability[name];
  };
  store.subscribe((state, previous) => {
    if (state.view.language !== previous.view.language) render();
    if (state.tools.stability !== previous.tools.stability) showFields();
  });
  showFields();
}

/**
 * A trial that this run has not (a fill, where nothing is masked) gives way to the first one.
 * @param {AppState} state
 * @param {AbortSignal} signal
 */
async function ask({ document: content, tools }, signal) {
  const { dtype, show, stage } = tools.stability;
  const body = { spec: toSpec(content), dtype, show };
  try {
    return await fetchStability(body, stage, signal);
  } catch (error) {
    const missing = error instanceof ProblemError && error.problem.errors.some(({ loc }) => loc[0] === "show");
    if (!missing) throw error;
    return fetchStability({ ...body, show: defaultTools().stability.show }, stage, signal);
  }
}
