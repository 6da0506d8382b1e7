/** The cell of a long run's picture under the cursor: which pairs it stands for, and their number as served. */

import { cellAt } from "../api/view.js";
import { byId, h } from "../dom.js";
import { labelsOf } from "../figures/length_span.js";
import { exact } from "../numbers.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { percentText, wholeText } from "../units.js";
import { stageName } from "./names.js";
import { rangeText } from "./length_words.js";

/** @typedef {import("../length_scene.js").Scene} Scene */
/** @typedef {import("../state/length.js").Range} Range */

/**
 * @typedef {object} PooledCell
 * @property {Range} rows tokens
 * @property {Range} cols
 * @property {number} value
 * @property {number} masked share
 * @property {boolean} single whether numbers are float32
 */

/**
 * The cell at a place, of the sharpest picture that has it; null where nothing has come yet.
 * @param {Scene} scene
 * @param {{row: number, col: number}} place
 * @returns {PooledCell | null}
 */
export function pooledCell({ overview, before, detail }, { row, col }) {
  for (const found of [detail, before, overview]) {
    if (!found) continue;
    const at = { row: cellAt(found.rowEdges, row), col: cellAt(found.colEdges, col) };
    if (at.row < 0 || at.col < 0 || at.row >= found.came) continue;
    return {
      rows: [found.rowEdges[at.row], found.rowEdges[at.row + 1]],
      cols: [found.colEdges[at.col], found.colEdges[at.col + 1]],
      value: found.z[at.row][at.col],
      masked: found.masked[at.row][at.col],
      single: found.single,
    };
  }
  return null;
}

/** @param {PooledCell} cell */
export function isOnePair({ rows, cols }) {
  return rows[1] - rows[0] === 1 && cols[1] - cols[0] === 1;
}

/**
 * @param {Scene} scene
 * @param {PooledCell | null} cell
 * @param {boolean} pointed whether there is a cursor at all
 */
export function showCell(scene, cell, pointed) {
  const card = byId("length-card");
  const text = pointed ? t("length.cell.notYet") : t("length.cell.none");
  byId("length-spoken").textContent = cell ? spoken(scene, cell) : "";
  card.replaceChildren(...(cell ? parts(scene, cell) : [h("p", { class: "says", text })]));
}

/**
 * @param {Scene} scene
 * @param {PooledCell} cell
 */
function parts(scene, cell) {
  const { rows, cols, masked } = cell;
  const { subject, span } = scene;
  const pairs = (rows[1] - rows[0]) * (cols[1] - cols[0]);
  const value = subject.stage === "allowed" ? [] : [line(nameOf(scene, cell), valueText(cell))];
  const share = STAGES[subject.stage].columns === "key" ? [line(t("length.cell.masked"), percentText(masked))] : [];
  const count = pairs > 1 ? [line(t("length.cell.pairs"), wholeText(pairs))] : [];
  return [
    h("p", { class: "length-who" }, [h("span", { text: sideText(scene, "rows", rows) }), h("span", { class: "arrow", text: span.sides.cols ? "→" : "·" }), h("span", { text: sideText(scene, "cols", cols) })]),
    h("dl", { class: "chain" }, [...value, ...share, ...count]),
  ];
}

/**
 * @param {string} name
 * @param {string} value
 */
function line(name, value) {
  return h("div", {}, [h("dt", { text: name }), h("dd", { class: "number", text: value })]);
}

/**
 * @param {Scene} scene
 * @param {PooledCell} cell
 */
function nameOf({ subject }, cell) {
  const stage = stageName(subject.stage);
  if (cell.rows[1] - cell.rows[0] === 1 && cell.cols[1] - cell.cols[0] === 1) return stage;
  return `${stage}, ${t(`length.cell.${subject.reduce}`)}`;
}

/** @param {PooledCell} cell */
function valueText({ value, single }) {
  return exact(value, single);
}

/**
 * Tokens of a side: one with its label, or a range.
 * @param {Scene} scene
 * @param {"rows" | "cols"} side
 * @param {Range} range
 */
function sideText({ plan, subject, span }, side, range) {
  const axis = span.sides[side];
  const one = range[1] - range[0] === 1;
  if (axis === null) return `${t("axis.dim")} ${rangeText(range)}`;
  const key = axis === "cols";
  if (!one) return t(key ? "length.cell.keys" : "length.cell.queries", { range: rangeText(range) });
  const label = labelsOf(plan, key ? "keys" : "queries", subject.batch)[range[0]] ?? "";
  return `${t(key ? "length.cell.key" : "length.cell.query")} ${wholeText(range[0])} ${label}`;
}

/**
 * @param {Scene} scene
 * @param {PooledCell} cell
 */
function spoken(scene, cell) {
  const where = `${sideText(scene, "rows", cell.rows)}, ${sideText(scene, "cols", cell.cols)}`;
  const masked = cell.masked > 0 ? t("length.spokenMasked", { share: percentText(cell.masked) }) : "";
  return t("length.spoken", { where, value: `${nameOf(scene, cell)} ${valueText(cell)}`, masked });
}
