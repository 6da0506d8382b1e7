/** Sums of rows and columns of the weights, and how far scores and weights are from being symmetric. */

import { asymmetry, columnSums, sumOf } from "../../api/lesson.js";
import { t } from "../../strings.js";
import { MOST_ROWS, labelOf, rowsOf } from "./context.js";
import { note, shortened, table, verdict } from "./tables.js";

/** @type {import("./context.js").Evidence<null>} */
export const ROWS = {
  ask: async () => null,
  show: (_, context) => {
    const [scores, weights] = [rowsOf(context, "scores"), rowsOf(context, "weights")];
    const columns = Array.from(weights[0].slice(0, MOST_ROWS), (__, key) => labelOf(context, "keys", key));
    const rows = weights.slice(0, MOST_ROWS).map((row, query) => [labelOf(context, "queries", query), ...Array.from(row.slice(0, MOST_ROWS), Number), sumOf(row)]);
    const sums = columnSums(weights);
    const [ofScores, ofWeights] = [asymmetry(scores), asymmetry(weights)];
    const square = ofScores === null || ofWeights === null ? t("lesson.rows.notSquare") : t("lesson.rows.verdict", { scores: shortened(ofScores), weights: shortened(ofWeights) });
    return [
      verdict(square, { scores: String(ofScores), weights: String(ofWeights) }),
      table(t("lesson.rows.table"), [t("selected.query"), ...columns, t("lesson.rows.sum")], [...rows, [t("lesson.rows.columns"), ...sums.slice(0, MOST_ROWS), sumOf(sums)]], "is-summed"),
      note(t(weights.length > MOST_ROWS ? "lesson.rows.part" : "lesson.rows.note")),
    ];
  },
};
