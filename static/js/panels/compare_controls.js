/** What the run is compared with: a shortcut, a kept specification, or a pinned one. */

import { byId, h } from "../dom.js";
import { divisors, headCounts } from "../state/dimensions.js";
import { compactJson, nothingToCompare } from "../state/comparison.js";
import { defaultCompare } from "../state/defaults.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("../state/types.js").Compare} Compare */

/** @param {Store} store */
export function mountCompareControls(store) {
  const set = (/** @type {Partial<Compare>} */ change) => store.set({ compare: { ...store.get().compare, ...change } });
  const keep = (/** @type {"own_b" | "pinned_a"} */ mode) => () => set({ mode, text: compactJson(toSpec(store.get().document)) });
  for (const chip of chips()) chip.addEventListener("click", () => choose(store, set, chip));
  byId("compare-own").addEventListener("click", keep("own_b"));
  byId("compare-pin").addEventListener("click", keep("pinned_a"));
  byId("compare-stop").addEventListener("click", () => set(defaultCompare()));
  const heads = /** @type {HTMLSelectElement} */ (byId("compare-kv-heads"));
  heads.addEventListener("change", () => set({ num_kv_heads: heads.value }));
  const text = /** @type {HTMLTextAreaElement} */ (byId("compare-text"));
  text.addEventListener("input", () => set({ text: text.value }));

  const render = () => show(store.get(), heads, text);
  store.subscribe((state, previous) => {
    const said = state.view.language !== previous.view.language;
    if (state.compare !== previous.compare || state.document !== previous.document || said) render();
  });
  render();
}

/** @returns {HTMLButtonElement[]} */
function chips() {
  return [.../** @type {NodeListOf<HTMLButtonElement>} */ (document.querySelectorAll("[data-compare]"))];
}

/**
 * Pressed again, a shortcut is let go.
 * @param {Store} store
 * @param {(change: Partial<Compare>) => void} set
 * @param {HTMLButtonElement} chip
 */
function choose(store, set, chip) {
  const { document: content, compare } = store.get();
  const mode = /** @type {Compare["mode"]} */ (chip.dataset.compare);
  if (chip.getAttribute("aria-disabled") === "true" && compare.mode !== mode) return;
  const { K } = headCounts(content);
  const fits = fewer(K).map(String);
  const heads = fits.includes(compare.num_kv_heads) ? compare.num_kv_heads : fits[0] ?? "1";
  set({ mode: compare.mode === mode ? "" : mode, num_kv_heads: heads });
}

/** @param {number} K */
function fewer(K) {
  return divisors(K).filter((count) => count < K);
}

/**
 * @param {AppState} state
 * @param {HTMLSelectElement} heads
 * @param {HTMLTextAreaElement} text
 */
function show({ compare, document: content }, heads, text) {
  const { mode } = compare;
  const { K } = headCounts(content);
  const kept = mode === "own_b" || mode === "pinned_a";
  for (const chip of chips()) showChip(chip, mode, content);
  byId("compare-nothing").textContent = reasons(content);
  byId("compare-kv").hidden = mode !== "kv_heads";
  heads.replaceChildren(...fewer(K).map((count) => h("option", { value: String(count), text: t(count === 1 ? "compare.toMqa" : "compare.toGqa", { count }) })));
  heads.value = compare.num_kv_heads;
  byId("compare-stop").hidden = mode === "";
  byId("compare-says").textContent = mode ? t(`compare.${mode}.says`) : t("compare.says");
  byId("compare-text-details").hidden = !kept;
  byId("compare-text-title").textContent = t(mode === "pinned_a" ? "compare.textA" : "compare.textB");
  if (text.value !== compare.text) text.value = compare.text;
}

/**
 * @param {HTMLButtonElement} chip
 * @param {Compare["mode"]} mode
 * @param {AppState["document"]} content
 */
function showChip(chip, mode, content) {
  const own = /** @type {Exclude<Compare["mode"], "">} */ (chip.dataset.compare);
  const nothing = nothingToCompare(content, own);
  chip.setAttribute("aria-pressed", String(own === mode));
  chip.setAttribute("aria-disabled", String(nothing !== null));
  chip.title = nothing ? t(`compare.${nothing}`, { names: t(`compare.${own}`) }) : t(`compare.${own}.says`);
}

/**
 * Why shortcuts are not to be had, each reason once behind the shortcuts it concerns.
 * @param {AppState["document"]} content
 */
function reasons(content) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const { dataset } of chips()) {
    const own = /** @type {Exclude<Compare["mode"], "">} */ (dataset.compare);
    const nothing = nothingToCompare(content, own);
    if (nothing) found.set(nothing, [...(found.get(nothing) ?? []), t(`compare.${own}`)]);
  }
  const list = new Intl.ListFormat(document.documentElement.lang);
  return [...found].map(([nothing, names]) => t(/** @type {import("../strings.js").Key} */ (`compare.${nothing}`), { names: list.format(names) })).join(" ");
}
