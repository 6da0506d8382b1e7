/** One query's output as a stack: what each key adds, and the sum below. */

import { brief } from "../numbers.js";
import { marksOf } from "./marks.js";
import { matrixFigure } from "./matrix.js";

/**
 * @typedef {object} ContributionsInput
 * @property {ArrayLike<number>[]} contributions weight times value, a row a key
 * @property {ArrayLike<number>} total
 * @property {string[]} keys
 * @property {string} sum label of the total
 * @property {number} width
 * @property {number} tallest
 * @property {import("./palette.js").Palette} palette
 * @property {{row: string, column: string}} titles
 */

/** @param {ContributionsInput} input */
export function contributionsFigure({ contributions, total, keys, sum, ...rest }) {
  const gap = new Float64Array(total.length).fill(NaN);
  const values = [...contributions, gap, total];
  const reach = reachOf([...contributions, total]);
  const scale = { zmin: -reach, zmax: reach, colorscale: rest.palette.scores, bar: { hidden: true } };
  const marks = marksOf(values, null, "none");
  marks[contributions.length].fill(NaN);
  const picture = { stage: "heads", values, z: values, marks, allowed: null, scale, label: (/** @type {number} */ value) => (Number.isNaN(value) ? "" : brief(value)) };
  const columns = Array.from(total, (_, dim) => String(dim));
  return matrixFigure({ ...rest, picture, rows: [...keys, "", sum], columns });
}

/** @param {ArrayLike<number>[]} rows */
function reachOf(rows) {
  let reach = 0;
  for (const row of rows) {
    for (let d = 0; d < row.length; d += 1) if (Number.isFinite(row[d])) reach = Math.max(reach, Math.abs(row[d]));
  }
  return reach || 1;
}
