/** A line a trial, by kind: how far its weights are off, what breaks first, what masked keys and empty rows got. */

import { byId, h } from "../dom.js";
import { exact } from "../numbers.js";
import { t } from "../strings.js";
import { eventText, numberText, trialName } from "./stability_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/stability.js").Stability} Stability */
/** @typedef {import("../api/stability.js").Trial} Trial */

const KINDS = /** @type {const} */ (["precision", "softmax", "set", "added"]);
const COLUMNS = 6;

/**
 * @param {Store} store
 * @param {Stability} found
 */
export function showTrials(store, found) {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.trial : undefined;
  byId("stability-trials").replaceChildren(...KINDS.flatMap((kind) => group(store, found, kind)));
  if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-trial="${CSS.escape(focused)}"]`))?.focus();
  byId("stability-no-fills").hidden = found.trials.some(({ kind }) => kind === "set");
}

/**
 * @param {Store} store
 * @param {Stability} found
 * @param {typeof KINDS[number]} kind
 */
function group(store, { trials, shown, dtype }, kind) {
  const own = trials.filter((trial) => trial.kind === kind);
  if (own.length === 0) return [];
  const title = h("tr", { class: "lens-group" }, [h("th", { scope: "colgroup", colspan: COLUMNS, text: t(`stability.${kind}`, { dtype }) })]);
  return [title, ...own.map((trial) => line(store, trial, trial === shown))];
}

/**
 * @param {Store} store
 * @param {Trial} trial
 * @param {boolean} shown
 */
function line(store, trial, shown) {
  const { name, finite, events, hidden, empty } = trial;
  const choose = () => store.tool("stability", { show: name });
  const chip = h("button", { type: "button", class: "chip", text: trialName(trial), "aria-pressed": String(shown), data: { trial: name }, on: { click: choose } });
  const [first] = events;
  return h("tr", { class: shown ? "is-shown" : "" }, [
    h("th", { scope: "row" }, [chip]),
    difference(trial),
    finite ? number(finite.mean) : h("td", { text: "–" }),
    h("td", { class: first ? "lens-broken" : "lens-sound", text: first ? eventText(first) : t("stability.none") }),
    hidden ? number(hidden.largest, hidden.largest > 0) : h("td", { text: "–" }),
    h("td", { class: "lens-word", text: empty ? t(`stability.row.${empty}`) : "–" }),
  ]);
}

/**
 * NaN in some rows does not hide how far the others are off.
 * @param {Trial} trial
 */
function difference({ largest, finite }) {
  if (Number.isFinite(largest) || !finite) return number(largest);
  const values = { value: numberText(largest), finite: numberText(finite.largest) };
  return h("td", { class: "is-wrong", text: t("stability.elsewhere", values), title: exact(finite.largest, false) });
}

/**
 * @param {number} value
 * @param {boolean} wrong
 */
function number(value, wrong = !Number.isFinite(value)) {
  return h("td", { class: wrong ? "is-wrong" : "", text: numberText(value), title: exact(value, false) });
}
