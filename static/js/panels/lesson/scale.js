/** How far scores of random vectors spread, measured for widths from 4 to 512, and those of this run. */

import { fetchScaling, varianceOf } from "../../api/lesson.js";
import { curvesFigure } from "../../figures/curves.js";
import { t } from "../../strings.js";
import { rowsOf } from "./context.js";
import { note, shortened, table, verdict } from "./tables.js";

const WIDTHS = [4, 8, 16, 32, 64, 128, 256, 512];

/** @type {import("./context.js").Evidence<import("../../api/lesson.js").Width[]>} */
export const SCALE = {
  ask: (_, signal) => fetchScaling(WIDTHS, signal),
  show: (found, context, draw) => {
    const { answer, palette } = context;
    const scores = rowsOf(context, "scores").flatMap((row) => Array.from(row));
    const largest = rowsOf(context, "weights").map((row) => Math.max(...row));
    const values = { D: answer.layout.head_dim, variance: shortened(varianceOf(scores)), largest: shortened(largest.reduce((sum, value) => sum + value, 0) / largest.length) };
    const widths = found.map(({ width }) => width);
    const curves = [
      { name: t("lesson.scale.plain"), x: widths, y: found.map(({ plain }) => plain.variance), colour: 1 },
      { name: t("lesson.scale.scaled"), x: widths, y: found.map(({ scaled }) => scaled.variance), colour: 0 },
      { name: "D", x: widths, y: widths, colour: 2, formula: true },
    ];
    return [
      verdict(t("lesson.scale.verdict", values)),
      draw(t("lesson.scale.figure"), (width) => curvesFigure({ curves, title: "D", ticks: widths, powers: 1, palette, width })),
      table(
        t("lesson.scale.table"),
        ["D", t("lesson.scale.mean"), t("lesson.scale.variance"), t("lesson.scale.scaledVariance"), t("lesson.scale.largest"), t("lesson.scale.scaledLargest")],
        found.map(({ width, plain, scaled }) => [width, plain.mean, plain.variance, scaled.variance, plain.largest_weight, scaled.largest_weight]),
      ),
      note(t("lesson.scale.note")),
    ];
  },
};
