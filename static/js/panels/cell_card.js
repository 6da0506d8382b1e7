/** The numbers of the cell under the cursor, at full precision, and why it is masked. */

import { wholeAnswer } from "../api/needed.js";
import { cellFacts } from "../cell.js";
import { byId, h } from "../dom.js";
import { placeOf, stageLabels, stageOf, stageRows } from "../figures/stages.js";
import { exact } from "../numbers.js";
import { pixelsOf } from "../plot.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";
import { axesOf } from "./frame_cursor.js";
import { stageName } from "./names.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../cell.js").CellFacts} CellFacts */

const GAP_PX = 12;

/** @param {Store} store */
export function mountCellCard(store) {
  return function render() {
    const { cursor, cursorStage, view, pinned } = store.get();
    const answer = wholeAnswer(store.get());
    const card = byId("cell-card");
    const stage = cursorStage === "stage" && answer ? stageOf(answer, view.stage) : cursorStage === "scores" ? "scores" : "weights";
    const at = cursor && placeOf(stage, cursor);
    card.hidden = !answer || !at || cursorStage === "heads" || at.column === null;
    byId("cell-spoken").textContent = "";
    if (!answer || !cursor || !at || !answer.tensors[STAGES[stage].tensor]) return;
    const facts = cellFacts(answer, view.batch, view.head, cursor);
    const vector = STAGES[stage].columns === "key" ? null : vectorFacts(answer, stage, view, at);
    byId("cell-spoken").textContent = vector ? t("cell.spokenVector", { ...vector, stage: stageName(stage) }) : spoken(facts);
    if (card.hidden || at.column === null) return;
    card.replaceChildren(...(vector ? vectorParts(vector, stageName(stage), pinned) : cardParts(facts, pinned)));
    card.classList.toggle("is-pinned", pinned);
    if (!pinned) place(card, byId(`${cursorStage}-frame`), { row: at.row, column: at.column });
  };
}

/**
 * Under the cell's row, or over it where the picture ends: never on the row, nor on the labels of rows and columns.
 * Where neither side has the room, it reaches out below the picture.
 * @param {HTMLElement} card
 * @param {HTMLElement} frame
 * @param {{row: number, column: number}} cell
 */
function place(card, frame, { row, column }) {
  const figure = frame.querySelector(".figure");
  const area = figure instanceof HTMLElement && pixelsOf(figure, { x0: column - 0.5, x1: column + 0.5, y0: row - 0.5, y1: row + 0.5 });
  const panel = card.offsetParent?.getBoundingClientRect();
  if (!area || !panel) return;
  const box = frame.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = card;
  const middle = box.left + area.left + area.width / 2 - width / 2 - panel.left;
  const below = box.top + area.top + area.height + GAP_PX;
  const above = box.top + area.top - GAP_PX - height;
  const fits = below + height < Math.min(innerHeight, box.bottom + GAP_PX);
  const top = fits || above < box.top + axesOf(figure).top ? below : above;
  card.style.left = `${Math.max(0, Math.min(panel.width - width, middle))}px`;
  card.style.top = `${top - panel.top}px`;
}

/**
 * One number of a vector: token, dimension and value as served.
 * @param {import("../api/answer.js").Answer} answer
 * @param {string} stage
 * @param {import("../state/types.js").View} view
 * @param {{row: number, column: number | null}} at
 */
function vectorFacts(answer, stage, { batch, head }, { row, column }) {
  const rows = stageRows(answer, stage, batch, head);
  const strip = STAGES[stage].kind === "strip";
  const { rows: tokens, columns } = stageLabels(answer, stage, batch, 0);
  const index = strip ? (column ?? 0) : row;
  const value = column === null ? NaN : (rows[row]?.[column] ?? NaN);
  const single = answer.tensors[STAGES[stage].tensor].dtype === "f4";
  return {
    axis: strip ? "query" : STAGES[stage].rows,
    index,
    label: (strip ? columns : tokens)[index] ?? "",
    dim: strip ? "" : String(column ?? ""),
    value: column === null ? "" : exact(value, single),
  };
}

/**
 * @param {ReturnType<typeof vectorFacts>} facts
 * @param {string} stage
 * @param {boolean} pinned
 */
function vectorParts({ axis, index, label, dim, value }, stage, pinned) {
  const name = dim === "" ? stage : t("cell.dimension", { stage, dim });
  return [
    h("p", { class: "cell-who" }, [who(axis === "query" ? "cell.query" : "cell.key", { index, label })]),
    h("dl", { class: "cell-numbers" }, [h("div", {}, [h("dt", { text: name }), h("dd", { text: value })])]),
    ...(pinned ? pinnedParts() : []),
  ];
}

/** What can be done with a pinned cell. */
function pinnedParts() {
  const follow = () => byId("inspector").scrollIntoView({ block: "start" });
  return [h("p", { class: "cell-pinned" }, [h("button", { type: "button", class: "add", text: t("cell.follow"), on: { click: follow } }), h("span", { class: "says", text: t("cell.pinned") })])];
}

/**
 * @param {CellFacts} facts
 * @param {boolean} pinned
 */
function cardParts(facts, pinned) {
  const masked = facts.allowed ? [] : [entry("cell.maskedScore", facts.maskedScore)];
  const reasons = facts.reasons.map(({ description }) => serverText(description)).join(t("list.semicolon"));
  return [
    h("p", { class: "cell-who" }, [who("cell.query", facts.query), h("span", { class: "arrow", text: "→" }), who("cell.key", facts.key)]),
    h("dl", { class: "cell-numbers" }, [
      ...entry("cell.dot", facts.dot),
      ...entry("cell.score", facts.score),
      ...masked.flat(),
      ...entry("cell.weight", facts.weight),
    ]),
    ...(reasons ? [h("p", { class: "cell-reason" }, [h("strong", { text: `${t("cell.blocked")} ` }), reasons])] : []),
    ...(pinned ? pinnedParts() : []),
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
  const why = reasons.map(({ description }) => serverText(description)).join(t("list.semicolon"));
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
