/** The numbers of the cell under the cursor, at full precision, and why it is masked. */

import { cellFacts } from "../cell.js";
import { byId, h } from "../dom.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../cell.js").CellFacts} CellFacts */

/** @param {Store} store */
export function mountCellCard(store) {
  function render() {
    const { answer, cursor, view, pinned } = store.get();
    const card = byId("cell-card");
    card.classList.toggle("is-filled", cursor !== null);
    card.classList.toggle("is-pinned", pinned && cursor !== null);
    if (!answer || !cursor) {
      card.replaceChildren(h("p", { class: "says", text: t("selected.hint") }));
      byId("cell-spoken").textContent = "";
      return;
    }
    const facts = cellFacts(answer, view.batch, view.head, cursor);
    card.replaceChildren(...cardParts(facts, pinned));
    byId("cell-spoken").textContent = spoken(facts);
  }
  render();
  return render;
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
