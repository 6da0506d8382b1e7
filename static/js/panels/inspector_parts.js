/** The four parts of the inspector: products, arithmetic, the row, the output. */

import { arithmetic } from "../api/inspection.js";
import { byId, h } from "../dom.js";
import { contributionsFigure } from "../figures/contributions.js";
import { exact } from "../numbers.js";
import { draw } from "../plot.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";
import { wholeText } from "../units.js";
import { rangeText } from "./length_words.js";

/** @typedef {import("../api/inspection.js").Inspection} Inspection */

/**
 * @typedef {object} Surroundings
 * @property {string[]} keys labels of the whole row
 * @property {number} total keys in the row
 * @property {number} kv the KV head that is read
 * @property {boolean} after whether masks come after the softmax
 * @property {boolean} whole whether long vectors are shown in full
 * @property {() => void} toggle
 * @property {(key: number) => void} choose
 */

/** Dimensions shown before the rest is folded away. */
const MOST_DIMENSIONS = 8;
const MOST_KEYS = 512;
const SIGNS = { scale: "×", softcap: "", bias: "+", added: "+", maximum: "−", denominator: "÷" };

/**
 * @param {Inspection} inspection
 * @param {Surroundings} around
 * @returns {Record<string, Node[]>} by the id of the element they fill
 */
export function inspectorParts(inspection, around) {
  return {
    "inspector-products": [products(inspection, around)],
    "inspector-chain": [chain(inspection), masks(inspection, around)],
    "inspector-row": row(inspection, around),
  };
}

/**
 * The number in short; whole in the title, and one press selects it.
 * @param {number} value
 * @param {boolean} single
 * @param {"td" | "dd" | "span"} [tag]
 */
function number(value, single, tag = "td") {
  const whole = exact(value, single);
  return h(tag, { class: "number", text: short(value), title: whole });
}

/**
 * Four digits at most.
 * @param {number} value
 */
function short(value) {
  if (!Number.isFinite(value)) return exact(value, false);
  const plain = String(Number(value.toPrecision(4)));
  return (plain.length > 8 ? value.toExponential(2) : plain).replace(/^-/, "−");
}

/**
 * @param {Inspection} inspection
 * @param {Surroundings} around
 */
function products({ q, k, products: found, dot_product: sum, single }, { whole, toggle }) {
  const all = whole || q.length <= MOST_DIMENSIONS + 2;
  const dims = Array.from({ length: all ? q.length : MOST_DIMENSIONS }, (_, dim) => dim);
  const rows = dims.map((dim) => h("tr", {}, [h("th", { scope: "row", text: String(dim) }), number(q[dim], single), number(k[dim], single), number(found[dim], single)]));
  const text = t(whole ? "inspector.fewer" : "inspector.all", { count: q.length });
  const more = q.length > MOST_DIMENSIONS + 2 ? [h("tr", {}, [h("td", { colspan: 4 }, [h("button", { type: "button", class: "add", text, on: { click: toggle } })])])] : [];
  return h("table", { class: "products" }, [
    h("thead", {}, [h("tr", {}, ["inspector.dimension", "inspector.q", "inspector.k", "inspector.product"].map((key) => h("th", { scope: "col", text: t(/** @type {any} */ (key)) })))]),
    h("tbody", {}, [...rows, ...more]),
    h("tfoot", {}, [h("tr", {}, [h("th", { scope: "row", colspan: 3, text: t("inspector.sum") }), number(sum, single)])]),
  ]);
}

/** @param {Inspection} inspection */
function chain(inspection) {
  const { single } = inspection;
  const lines = arithmetic(inspection).map(({ name, by, result }) => {
    const sign = by === null ? "" : (/** @type {Record<string, string>} */ (SIGNS)[name] ?? "");
    const what = h("dt", {}, [t(`inspector.${name}`), ...(by === null ? [] : [" ", h("span", { class: "number", text: `${sign} ${short(by)}`.trim(), title: exact(by, single) })])]);
    const strong = ["score", "masked", "weight"].includes(name) ? "is-result" : "";
    return h("div", { class: strong }, [what, result === null ? h("dd") : number(result, single, "dd")]);
  });
  return h("dl", { class: "chain" }, lines);
}

/**
 * @param {Inspection} inspection
 * @param {Surroundings} around
 */
function masks({ masks: found, masked_scores: scores, logsumexp }, { after, total }) {
  const items = found.map(({ description, visible }) =>
    h("li", { class: visible ? "" : "is-blocking" }, [h("span", { class: "verdict", text: t(visible ? "inspector.visible" : "inspector.blocked") }), serverText(description)]),
  );
  const none = found.length ? [] : [h("li", { text: t("inspector.noMask") })];
  const blind = scores.length > 0 && scores.every((score) => score === -Infinity) && (scores.length === total || logsumexp === -Infinity) ? [h("li", { class: "is-blocking", text: t("inspector.blind") })] : [];
  const late = after && found.some(({ visible }) => !visible) ? [h("li", { class: "is-blocking", text: t("inspector.after") })] : [];
  return h("ul", { class: "verdicts", "aria-label": t("inspector.masks") }, [...items, ...none, ...blind, ...late]);
}

/**
 * The weights of the query as bars; a press goes to another key.
 * @param {Inspection} inspection
 * @param {Surroundings} around
 */
function row({ at, keys: [first, last], weights, masked_scores: scores, single }, { keys, total, choose }) {
  const full = weights.length < total ? largestOf(weights) : 1;
  const items = Array.from(weights).slice(0, MOST_KEYS).map((weight, index) => {
    const key = first + index;
    const bar = h("span", { class: "bar" });
    bar.style.setProperty("--share", String(Number.isFinite(weight) ? Math.max(0, Math.min(1, weight / full)) : 0));
    const says = t("inspector.rowTitle", { key, label: keys[key] ?? "", weight: exact(weight, single), score: exact(scores[index], single) });
    return h("button", { type: "button", class: "row-bar", title: says, "aria-pressed": String(key === at.key), on: { click: () => choose(key) } }, [
      h("span", { class: "row-label", text: keys[key] ?? String(key) }),
      bar,
      h("span", { class: "number", text: short(weight) }),
    ]);
  });
  const around = weights.length < total ? [h("p", { class: "says", text: t("length.rowAround", { range: rangeText([first, last]), total: wholeText(total) }) })] : [];
  const note = weights.length > MOST_KEYS ? [h("p", { class: "says", text: t("inspector.rowLong", { shown: MOST_KEYS, total: weights.length }) })] : [];
  return [h("div", { class: "row-bars", role: "group", "aria-label": t("inspector.row") }, items), ...around, ...note];
}

/**
 * What a full bar stands for where weights are too small to be seen beside 1.
 * @param {import("../tensors.js").Numbers} weights
 */
function largestOf(weights) {
  return Math.max(0, ...Array.from(weights).filter(Number.isFinite)) || 1;
}

/** @type {string[]} */
let labels = [];

/**
 * @param {Inspection} inspection
 * @param {import("../figures/palette.js").Palette} palette
 * @param {string[]} [keys]
 */
export function drawContributions({ contributions, total, keys: [first, last] }, palette, keys = labels) {
  labels = keys;
  const part = byId("inspector-output-part");
  part.hidden = last - first >= Math.max(1, keys.length);
  part.textContent = t("length.outputAround", { range: rangeText([first, last]), total: wholeText(keys.length) });
  const frame = byId("inspector-output");
  const rows = contributions.length + 2;
  return draw(byId("inspector-figure"), contributionsFigure({
    contributions,
    total,
    keys: keys.slice(first, last),
    sum: t("inspector.total"),
    width: Math.max(160, frame.clientWidth),
    tallest: Math.min(320, Math.max(120, rows * 24)),
    palette,
    titles: { row: "", column: t("axis.value dim") },
  }));
}
