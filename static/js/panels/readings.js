/** One mask in every reading of the frameworks: what flips, what it weighs, and PyTorch's line for it. */

import { fetchReadings } from "../api/readings.js";
import { byId, h } from "../dom.js";
import { readingsBody } from "../state/readings.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";
import { loadExample } from "./header.js";
import { mountLensPictures } from "./lens_pictures.js";
import { showReadings } from "./readings_cards.js";
import { mountTabRequest } from "./tab_request.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/readings.js").Readings} Readings */
/** @typedef {import("../state/types.js").Tools["readings"]} Tool */

/** @param {Store} store */
export function mountReadings(store) {
  /** @type {Readings | null} */
  let found = null;
  const pictures = mountLensPictures(store, "readings");
  const fields = mountFields(store, () => found);
  const render = () => {
    fields();
    if (found) showReadings(store, found);
  };
  mountTabRequest(store, {
    tab: "readings",
    of: ({ document: content, tools }) => [content, tools.readings],
    ask,
    show: async (answer) => {
      found = answer;
      render();
      await pictures.show(answer.comparison);
    },
  });
  store.subscribe((state, previous) => {
    if (state.view.language !== previous.view.language) render();
    if (state.tools.readings !== previous.tools.readings) fields();
  });
  fields();
}

/**
 * Where nobody has chosen, a reading that differs is shown rather than one that does not.
 * @param {import("../store.js").AppState} state
 * @param {AbortSignal} signal
 */
async function ask({ document: content, tools }, signal) {
  const { stage, show } = tools.readings;
  const body = readingsBody(content, tools.readings);
  const found = await fetchReadings(body, stage, signal);
  const other = found.readings.find(({ same }) => !same);
  const dull = body.show !== show && found.readings.some(({ name, same }) => name === body.show && same);
  return dull && other ? fetchReadings({ ...body, show: other.name }, stage, signal) : found;
}

/**
 * @param {Store} store
 * @param {() => Readings | null} readings
 */
function mountFields(store, readings) {
  const set = (/** @type {Partial<Tool>} */ change) => store.tool("readings", change);
  const subjects = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("[name='readings-subject']")]);
  const window = /** @type {HTMLInputElement} */ (byId("readings-window"));
  const [mask, stage] = ["mask", "stage"].map((name) => /** @type {HTMLSelectElement} */ (byId(`readings-${name}`)));
  for (const choice of subjects) choice.addEventListener("change", () => set({ subject: /** @type {Tool["subject"]} */ (choice.value) }));
  window.addEventListener("input", () => set({ window: window.value }));
  mask.addEventListener("change", () => set({ mask: mask.value }));
  stage.addEventListener("change", () => set({ stage: stage.value }));
  byId("readings-example").addEventListener("click", () => loadExample(store, "readings"));
  return () => {
    const tool = store.get().tools.readings;
    for (const choice of subjects) choice.checked = choice.value === tool.subject;
    if (window.value !== tool.window) window.value = tool.window;
    stage.value = tool.stage;
    byId("readings-window-field").hidden = tool.subject !== "window";
    byId("readings-mask-field").hidden = tool.subject !== "array";
    byId("readings-says").textContent = t(`readings.${tool.subject}.says`);
    fillMasks(mask, tool.mask, readings());
  };
}

/**
 * The masks of the run as it is set; one that is gone stays in the list until another is chosen.
 * @param {HTMLSelectElement} select
 * @param {string} chosen
 * @param {Readings | null} found
 */
function fillMasks(select, chosen, found) {
  const masks = found?.comparison.b.masks ?? [];
  const known = chosen === "" || masks.some(({ index }) => String(index) === chosen);
  const options = [
    h("option", { value: "", text: t("readings.mask.default") }),
    ...masks.map(({ index, description }) => h("option", { value: String(index), text: `${index}: ${serverText(description)}` })),
    ...(known ? [] : [h("option", { value: chosen, text: chosen })]),
  ];
  select.replaceChildren(...options);
  select.value = chosen;
}
