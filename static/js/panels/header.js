/** The bar on top: the examples, the theme and whether the picture is up to date. */

import { byId, h } from "../dom.js";
import { fromSpec } from "../state/from_spec.js";
import { t } from "../strings.js";
import { exampleText } from "../strings/server.js";
import { showTheme } from "../theme.js";

/** @typedef {import("../store.js").Store} Store */

/** Where the set-up lies below the pictures, out of sight of its button. */
const NARROW = "(max-width: 760px)";

/** @param {Store} store */
export function mountHeader(store) {
  const select = /** @type {HTMLSelectElement} */ (byId("example"));
  select.addEventListener("change", () => loadExample(store, select.value));
  store.subscribe((state, previous) => {
    if (state.examples !== previous.examples) fillExamples(select, state.examples);
    if (state.view !== previous.view || state.examples !== previous.examples) showExample(select, store);
    if (state.status !== previous.status || state.view.language !== previous.view.language) showStatus(state.status);
    if (state.view.setup !== previous.view.setup) showSetup(state.view.setup);
    if (state.view.theme !== previous.view.theme) showTheme(state.view.theme);
    if (state.view.help !== previous.view.help) showHelp(state.view.help);
  });
  const header = /** @type {HTMLElement} */ (byId("help").closest("header"));
  new ResizeObserver(() => document.documentElement.style.setProperty("--header-height", `${header.offsetHeight}px`)).observe(header);
  byId("help").addEventListener("click", () => store.view({ help: !store.get().view.help }));
  byId("setup-toggle").addEventListener("click", () => toggleSetup(store));
  fillExamples(select, []);
  showSetup(store.get().view.setup);
  showStatus(store.get().status);
  addEventListener("serverbusy", (event) => {
    byId("status-text").textContent = t("status.busy", { seconds: /** @type {CustomEvent<number>} */ (event).detail });
  });
  showTheme(store.get().view.theme);
  showHelp(store.get().view.help);
}

/**
 * @param {Store} store
 * @param {string} name
 */
export function loadExample(store, name) {
  const { examples, view } = store.get();
  const example = examples.find((item) => item.name === name);
  if (!example) return;
  const start = { example: name, head: 0, gridHead: 0, window: null, ...example.view };
  store.set({ document: fromSpec(example.spec), view: { ...view, ...start }, cursor: null, pinned: false });
}

/**
 * @param {HTMLSelectElement} select
 * @param {import("../state/types.js").Example[]} examples
 */
function fillExamples(select, examples) {
  const own = h("option", { value: "", text: t("header.ownInput"), hidden: true });
  select.replaceChildren(own, ...examples.map((example) => h("option", { value: example.name, text: exampleText(example).title })));
}

/**
 * @param {HTMLSelectElement} select
 * @param {Store} store
 */
function showExample(select, store) {
  const { view, examples } = store.get();
  select.value = view.example;
  const says = byId("example-says");
  const example = examples.find(({ name }) => name === view.example);
  says.textContent = example ? exampleText(example).description : "";
  says.hidden = says.textContent === "";
}

/** @param {"computing" | "ready" | "error"} status */
function showStatus(status) {
  if (status !== "ready") document.documentElement.dataset.state = status;
  byId("status-text").textContent = t(`status.${status}`);
}

/**
 * On a phone the button leads to the set-up: folding away what is out of sight would look like nothing.
 * @param {Store} store
 */
function toggleSetup(store) {
  const narrow = matchMedia(NARROW).matches;
  store.view({ setup: narrow || !store.get().view.setup });
  if (!narrow) return;
  byId("setup").focus({ preventScroll: true });
  byId("setup").scrollIntoView();
}

/** @param {boolean} open */
function showSetup(open) {
  byId("setup").hidden = !open;
  byId("setup-toggle").setAttribute("aria-expanded", String(open));
}

/** @param {boolean} on */
function showHelp(on) {
  document.documentElement.classList.toggle("with-help", on);
  byId("help").setAttribute("aria-pressed", String(on));
  byId("help-strip").hidden = !on;
}
