/** The attention modules of a checkpoint: choose a layer, say its layout where it must be said, use its weights. */

import { h } from "../dom.js";
import { fits } from "../state/brought.js";
import { queryLengths, width } from "../state/dimensions.js";
import { isRandom } from "../state/references.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../transfers.js").Transfers} Transfers */
/** @typedef {import("../api/uploads.js").UploadAnswer} UploadAnswer */
/** @typedef {import("../api/uploads.js").ListedModule} ListedModule */

/**
 * @param {Store} store
 * @param {Transfers} transfers
 * @param {UploadAnswer} answer
 */
export function createModulePicker(store, transfers, answer) {
  const modules = h("select", { title: t("files.module.tip"), data: { choice: "module" }, on: { change: () => choose({ module: modules.value, layout: "auto" }) } }, answer.modules.map(({ module }) => h("option", { value: module, text: module })));
  const layouts = h("select", { title: t("files.layout.tip"), data: { choice: "layout" }, on: { change: () => choose({ layout: layouts.value }) } });
  const says = h("p", { class: "says" });
  const warns = h("p", { class: "says module-warns" });
  const fault = h("p", { class: "error", role: "status", hidden: true });
  const use = h("button", { type: "button", class: "button primary", text: t("files.useWeights"), title: t("files.useWeights.tip"), on: { click: apply } });
  const root = h("div", { class: "file-part", data: { part: "modules" } }, [
    h("label", { class: "field" }, [h("span", { text: t("files.module", { count: answer.modules.length }) }), modules]),
    says,
    h("label", { class: "field" }, [h("span", { text: t("files.layout") }), layouts]),
    warns,
    fault,
    h("div", { class: "row" }, [use]),
  ]);
  let listed = "";
  return { root, update };

  /** @returns {{module: ListedModule, layout: string}} */
  function chosen() {
    const { module: name = "", layout = "auto" } = store.get().files.choices[answer.id] ?? {};
    const module = answer.modules.find((item) => item.module === name) ?? answer.modules[0];
    return { module, layout: layout === "auto" && needsLayout(module) ? "" : layout };
  }

  /** @param {{module?: string, layout?: string}} change */
  function choose(change) {
    const { files } = store.get();
    const { module, layout } = chosen();
    const { roles = {} } = files.choices[answer.id] ?? {};
    const choice = { roles, module: module.module, layout, ...change };
    store.set({ files: { ...files, choices: { ...files.choices, [answer.id]: choice } } });
  }

  function apply() {
    const { module, layout } = chosen();
    fault.hidden = layout !== "";
    fault.textContent = layout === "" ? t("files.layout.unsaid") : "";
    if (layout !== "") transfers.useWeights(answer, module.module, layout);
  }

  function update() {
    const { module, layout } = chosen();
    modules.value = module.module;
    if (listed !== module.module) layouts.replaceChildren(...layoutOptions(module));
    listed = module.module;
    layouts.value = layout;
    if (layout) fault.hidden = true;
    says.textContent = described(module, answer);
    warns.textContent = warnings(store, module).join(" ");
    warns.hidden = warns.textContent === "";
    const { projection } = store.get().document.also;
    const inUse = projection?.upload === answer.id && projection?.module === module.module && (projection?.layout ?? "auto") === layout;
    use.textContent = t(inUse ? "files.weightsInUse" : "files.useWeights");
    use.setAttribute("aria-pressed", String(inUse));
  }
}

/** @param {ListedModule} module */
function needsLayout({ layout, layouts }) {
  return layout === null && layouts.length > 1;
}

/** @param {ListedModule} module */
function layoutOptions(module) {
  const known = module.layout ?? module.layouts[0];
  const first = needsLayout(module)
    ? h("option", { value: "", text: t("files.layout.choose") })
    : h("option", { value: "auto", text: t("files.detected", { value: layoutText(known) }) });
  return [first, ...module.layouts.map((layout) => h("option", { value: layout, text: layoutText(layout) }))];
}

/** @param {string} layout */
function layoutText(layout) {
  return t(/** @type {import("../strings.js").Key} */ (`files.layout.${layout}`));
}

/**
 * @param {ListedModule} module
 * @param {UploadAnswer} answer
 */
function described({ family, num_heads: H, num_kv_heads: K, head_dim: D, width: E }, { detected }) {
  const config = detected.config ? t("files.config", { type: String(detected.config) }) : t("files.noConfig");
  const heads = H === null ? t("files.headsUnknown") : t("files.heads", { H, K: K ?? H, D: D ?? "?" });
  return [family ?? t("files.familyUnknown"), heads, ...(E === null ? [] : [t("files.width", { E })]), config].join(" · ");
}

/**
 * @param {Store} store
 * @param {ListedModule} module
 */
function warnings(store, module) {
  const { document: content } = store.get();
  const random = module.width !== null && !fits(content, module);
  const values = { width: width(content, "tokens"), E: module.width ?? 0, tokens: Math.max(...queryLengths(content)) };
  return [
    ...(random ? [t("files.willBeRandom", values)] : []),
    ...(!random && isRandom(content.also.x) ? [t("files.random")] : []),
    ...(module.position_bias ? [t("files.positionBias", { name: module.position_bias })] : []),
  ];
}
