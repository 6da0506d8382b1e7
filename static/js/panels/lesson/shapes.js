/** The stages of this run in order: the formula of each, its axes by their letters, its shape. */

import { t } from "../../strings.js";
import { stageName } from "../names.js";
import { code, note, table } from "./tables.js";

/** @typedef {import("../../api/answer.js").Step} Step */

/** The letters of the axes that stages have. */
const LETTERS = /** @type {Record<string, string>} */ ({
  batch: "B",
  "query head": "H",
  "kv head": "K",
  query: "T",
  key: "S",
  dim: "D",
  "value dim": "Dv",
  "model dim": "E",
});

/** @param {Step[]} steps */
export function shapeTable(steps) {
  const rows = steps.map(({ name, formula, axes, shape }) => [stageName(name), code(formula), code(`[${axes.map((axis) => LETTERS[axis] ?? axis).join(", ")}]`), code(`[${shape.join(", ")}]`)]);
  return table(t("lesson.shapes.table"), ["stage", "formula", "axes", "shape"].map((name) => t(/** @type {import("../../strings.js").Key} */ (`lesson.shapes.${name}`))), rows, "is-shapes");
}

/** @type {import("./context.js").Evidence<null>} */
export const SHAPES = {
  ask: async () => null,
  show: (_, { answer }) => [shapeTable(answer.steps), note(t("lesson.shapes.letters"))],
};
