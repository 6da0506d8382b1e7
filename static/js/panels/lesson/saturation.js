/** Rows of scores, their softmax, and how little of a gradient comes through once it is saturated. */

import { fetchSoftmax } from "../../api/lesson.js";
import { curvesFigure } from "../../figures/curves.js";
import { t } from "../../strings.js";
import { MOST_ROWS, labelOf, rowsOf } from "./context.js";
import { code, listText, shortened, table, verdict } from "./tables.js";

/** @typedef {import("./context.js").Context} Context */
/** @typedef {import("../../api/lesson.js").SoftmaxRow} SoftmaxRow */
/** @typedef {{rows: SoftmaxRow[], curve: SoftmaxRow[]}} Found */

const SCORES = [0.2, 0.5, 0.8];
/** From 1 to 100, ten to a decade. */
const FACTORS = Array.from({ length: 21 }, (_, index) => 10 ** (index / 10));
const MOST_SHOWN = 5;

/** @type {import("./context.js").Evidence<Found>} */
export const SATURATION = {
  ask: async (context, signal) => {
    const [rows, curve] = await Promise.all([fetchSoftmax(visibleScores(context), signal), fetchSoftmax(FACTORS.map((factor) => SCORES.map((score) => score * factor)), signal)]);
    return { rows, curve };
  },
  show: ({ rows, curve }, context, draw) => {
    const scores = visibleScores(context);
    const [first, last] = [curve[0].largest, curve[curve.length - 1].largest];
    const curves = [
      { name: t("lesson.saturation.largest"), x: FACTORS, y: curve.map(({ largest }) => largest), colour: 1 },
      { name: t("lesson.saturation.norm"), x: FACTORS, y: curve.map(({ norm }) => norm), colour: 0 },
    ];
    return [
      verdict(t("lesson.saturation.verdict", { first: shortened(first), last: shortened(last) }), { first, last }),
      table(
        t("lesson.saturation.table"),
        [t("selected.query"), t("lesson.saturation.scores"), "softmax", t("statistic.entropy"), t("lesson.saturation.largest"), t("lesson.saturation.norm")],
        rows.map((row, index) => [labelOf(context, "queries", index), code(shortList(scores[index])), code(shortList(row.weights)), row.entropy, row.largest, row.norm]),
      ),
      draw(t("lesson.saturation.figure"), (width) => curvesFigure({ curves, title: t("lesson.saturation.factor"), ticks: [1, 2, 5, 10, 20, 50, 100], powers: 3, palette: context.palette, width })),
    ];
  },
};

/**
 * What enters the softmax of the first rows: scores of keys that the query sees, as far as they are numbers.
 * @param {Context} context
 */
function visibleScores(context) {
  const allowed = rowsOf(context, "allowed");
  const rows = rowsOf(context, "scores").slice(0, MOST_ROWS);
  const seen = rows.map((row, i) => Array.from(row).filter((score, j) => allowed[i][j] && Number.isFinite(score)).slice(0, 64));
  return seen.every((row) => row.length) ? seen : [];
}

/** @param {number[]} values */
function shortList(values) {
  const text = listText(values.slice(0, MOST_SHOWN));
  return values.length > MOST_SHOWN ? text.replace("]", ", …]") : text;
}
