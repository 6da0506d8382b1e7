/** The trial on show: what it does, what leaves the numbers in it, step by step, and how to set it. */

import { byId, h } from "../dom.js";
import { cursorAt } from "../figures/stages.js";
import { fromSpec } from "../state/from_spec.js";
import { TRIED } from "../state/stages.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { placeIn } from "./compare_table.js";
import { PICTURED, eventStory, trialName, trialTitle } from "./stability_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/stability.js").Stability} Stability */
/** @typedef {import("../api/stability.js").Event} Event */

/**
 * @param {Store} store
 * @param {Stability} found
 */
export function showTrial(store, found) {
  const { shown } = found;
  byId("stability-title").textContent = trialTitle(shown);
  byId("stability-kind").textContent = t(`stability.${shown.kind}.says`, { dtype: shown.dtype, fill: trialName(shown) });
  const events = shown.events.map((event) => h("li", {}, [`${eventStory(event, shown.dtype)} `, jump(store, found, event)]));
  byId("stability-events").replaceChildren(...events);
  byId("stability-events-title").textContent = t(events.length ? "stability.events" : "stability.noEvents");
  showUse(store, found);
}

/**
 * @param {Store} store
 * @param {Stability} found
 */
function showUse(store, { shown }) {
  const { fields, kind } = shown;
  const said = t(kind === "softmax" ? "stability.unsayable" : "stability.tooLong");
  const use = () => store.edit((content) => fromSpec({ ...toSpec(content), ...fields }));
  const button = h("button", { type: "button", class: "button", id: "stability-use", text: t("stability.use"), title: t("stability.use.tip"), on: { click: use } });
  byId("stability-set").replaceChildren(fields ? button : h("p", { class: "says", text: said }));
}

/**
 * The cell where it first happens, in the stage whose picture has it.
 * @param {Store} store
 * @param {Stability} found
 * @param {Event} event
 */
function jump(store, { comparison }, { stage, first }) {
  const pictured = PICTURED[stage] ?? stage;
  const place = placeIn(comparison, pictured, first);
  const go = () => {
    const { view, tools, cursor } = store.get();
    const stability = TRIED.includes(pictured) ? { ...tools.stability, stage: pictured } : tools.stability;
    store.set({
      view: { ...view, batch: place.batch, head: place.head ?? view.head },
      tools: { ...tools, stability },
      cursor: cursorAt(pictured, cursor, place.row, place.column),
      pinned: true,
    });
  };
  return h("button", { type: "button", class: "chip", text: place.text, title: t("compare.jump", { index: `[${first.join(", ")}]` }), data: { event: stage }, on: { click: go } });
}
