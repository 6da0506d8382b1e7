/** The numbers of the cell under the cursor, at full precision, and why it is masked. */

import { cellFacts } from "../cell.js";
import { byId, h } from "../dom.js";
import { pixelsOf } from "../plot.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../cell.js").CellFacts} CellFacts */

const GAP_PX = 12;

/** @param {Store} store */
export function mountCellCard(store) {
  return function render() {
    const { answer, details, cursor, view, pinned } = store.get();
    const card = byId("cell-card");
    card.hidden = !answer || !cursor;
    if (!answer || !cursor) return;
    const facts = cellFacts({ ...answer, tensors: { ...answer.tensors, ...details } }, view.batch, view.head, cursor);
    card.replaceChildren(...cardParts(facts, pinned));
    card.classList.toggle("is-pinned", pinned);
    place(card, byId(`${store.get().cursorStage}-frame`), cursor);
    byId("cell-spoken").textContent = spoken(facts);
  };
}

/**
 * Under the cell, or over it where the window ends; never on it, and never outside the panel.
 * @param {HTMLElement} card
 * @param {HTMLElement} frame
 * @param {import("../state/types.js").Cell} cell
 */
function place(card, frame, { query, key }) {
  const figure = frame.querySelector(".figure");
  const area = figure instanceof HTMLElement && pixelsOf(figure, { x0: key - 0.5, x1: key + 0.5, y0: query - 0.5, y1: query + 0.5 });
  const panel = card.offsetParent?.getBoundingClientRect();
  if (!area || !panel) return;
  const box = frame.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const middle = box.left + area.left + area.width / 2 - width / 2 - panel.left;
  const below = box.top + area.top + area.height + GAP_PX;
  const fits = below + height < innerHeight;
  const top = fits ? below : box.top + area.top - GAP_PX - height;
  card.style.left = `${Math.max(0, Math.min(panel.width - width, middle))}px`;
  card.style.top = `${top - panel.top}px`;
}

/**
 * @param {CellFacts} facts
 * @param {boolean} pinned
 */
function cardParts(facts, pinned) {
  const masked = facts.allowed ? [] : [entry("cell.maskedScore", facts.maskedScore)];
  const reasons = facts.reasons.map(({ description }) => description).join("; ");
  return [
    h("p", { class: "cell-who" }, [who("cell.query", facts.query), h("span", { class: "arrow", text: "→" }), who("cell.key", facts.key)]),
    h("dl", { class: "cell-numbers" }, [
      ...entry("cell.dot", facts.dot),
      ...entry("cell.score", facts.score),
      ...masked.flat(),
      ...entry("cell.weight", facts.weight),
    ]),
    ...(reasons ? [h("p", { class: "cell-reason" }, [h("strong", { text: `${t("cell.blocked")} ` }), reasons])] : []),
    ...(pinned ? [h("p", { class: "says", text: t("cell.pinned") })] : []),
  ];
}

/**
 * @param {"cell.query" | "cell.key"} key
 * @param {{index: number, label: string}} token
 */
function who(key, { index, label }) {
  return h("span", {}, [h("span", { class: "quiet", text: `${t(key)} ${index} ` }), h("b", { text: label })]);
}

/**
 * @param {"cell.dot" | "cell.score" | "cell.maskedScore" | "cell.weight"} key
 * @param {string} value
 */
function entry(key, value) {
  return value === "" ? [] : [h("div", {}, [h("dt", { text: t(key) }), h("dd", { text: value })])];
}

/** @param {CellFacts} facts */
function spoken({ query, key, score, weight, reasons }) {
  const why = reasons.map(({ description }) => description).join("; ");
  return t("cell.spoken", {
    query: query.index,
    queryLabel: query.label,
    key: key.index,
    keyLabel: key.label,
    score,
    weight,
    masked: why ? t("cell.spokenMasked", { reasons: why }) : "",
  });
}
