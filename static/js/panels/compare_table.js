/** Stage by stage: how far A and B are apart, where most, and where first. */

import { byId, h } from "../dom.js";
import { cursorAt, stageLabels } from "../figures/stages.js";
import { brief, exact } from "../numbers.js";
import { COMPARED, STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";
import { stageName } from "./names.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/comparison.js").Comparison} Comparison */

/**
 * @param {Store} store
 * @param {Comparison} found
 */
export function showStages(store, found) {
  const names = Object.keys(STAGES).filter((name) => name in found.stages || name in found.incomparable);
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.jump : undefined;
  byId("compare-stages").replaceChildren(...names.map((name) => stageLine(store, found, name)));
  if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-jump="${CSS.escape(focused)}"]`))?.focus();
  byId("compare-verdict").textContent = verdict(found, names);
}

/**
 * @param {Comparison} found
 * @param {string[]} names in the order of the computation
 */
function verdict({ stages, incomparable }, names) {
  const first = names.find((name) => name in incomparable || stages[name].first);
  if (!first) return t("compare.equal");
  const stage = stageName(first);
  return first in incomparable ? t("compare.firstShape", { stage }) : t("compare.firstDiffers", { stage });
}

/**
 * @param {Store} store
 * @param {Comparison} found
 * @param {string} name
 */
function stageLine(store, found, name) {
  const { compare } = store.get();
  const stage = found.stages[name];
  const text = stageName(name);
  const choose = () => store.set({ compare: { ...store.get().compare, stage: name } });
  const title = COMPARED.includes(name)
    ? h("button", { type: "button", class: "chip", text, "aria-pressed": String(compare.stage === name), data: { jump: name }, on: { click: choose } })
    : text;
  const head = h("th", { scope: "row" }, [title]);
  if (!stage) return h("tr", {}, [head, h("td", { colspan: 4, text: serverText(found.incomparable[name]) })]);
  const single = stage.difference.dtype === "f4";
  const number = (/** @type {number} */ value) => h("td", { text: Number.isFinite(value) ? brief(value) : exact(value, single), title: exact(value, single) });
  const place = (/** @type {"at" | "first"} */ which) => h("td", {}, stage.first && stage[which] ? [jump(store, found, name, which)] : ["–"]);
  return h("tr", { class: stage.first ? "" : "is-equal" }, [head, number(stage.max), number(stage.mean), place("at"), place("first")]);
}

/**
 * @param {Store} store
 * @param {Comparison} found
 * @param {string} name
 * @param {"at" | "first"} which
 */
function jump(store, found, name, which) {
  const index = /** @type {number[]} */ (found.stages[name][which]);
  const place = placeIn(found, name, index);
  const go = () => {
    const { view, compare, cursor } = store.get();
    store.set({
      view: { ...view, batch: place.batch, head: place.head ?? view.head },
      compare: COMPARED.includes(name) ? { ...compare, stage: name } : compare,
      cursor: cursorAt(name, cursor, place.row, place.column),
      pinned: true,
    });
  };
  return h("button", { type: "button", class: "chip", text: place.text, title: t("compare.jump", { index: `[${index.join(", ")}]` }), data: { jump: `${name} ${which}` }, on: { click: go } });
}

/**
 * The query head, row and column that an index of a stage speaks of.
 * @param {Pick<Comparison, "a">} found
 * @param {string} name
 * @param {number[]} index
 */
export function placeIn({ a }, name, [batch, ...rest]) {
  const { heads, kind, columns } = STAGES[name];
  const own = heads === "none" ? null : rest[0];
  const [row, column = 0] = kind === "strip" ? [0, rest[1]] : heads === "none" ? rest : rest.slice(1);
  const labels = stageLabels(a, name, batch, column + 1);
  const letter = heads === "kv" ? "KV" : "H";
  const cell = columns === "key" ? `${labels.rows[row]} → ${labels.columns[column]}` : columns === "dim" ? `${labels.rows[row]} · ${column}` : labels.columns[column];
  const many = a.tensors.allowed.shape[0] > 1;
  const text = [many ? t("input.sequence", { n: batch }) : "", own === null ? "" : `${letter}${own}`, cell].filter(Boolean).join(" · ");
  const head = own === null ? null : heads === "kv" ? a.layout.kv_head_of.indexOf(own) : own;
  return { batch, head, row, column, text };
}
