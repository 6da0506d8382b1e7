/** Two runs beside each other on one scale, and A − B on a diverging scale of its own. */

import { brief } from "../numbers.js";
import { STAGES, isWeights } from "../state/stages.js";
import { marksOf } from "./marks.js";
import { pictureOf } from "./picture.js";
import { reachOf, scaleOf } from "./scales.js";
import { stageRows } from "./stages.js";

/** @typedef {import("../api/comparison.js").Comparison} Comparison */
/** @typedef {import("./picture.js").Look} Look */
/** @typedef {import("./picture.js").Picture} Picture */

/** Apart from the scales of weights and scores: blue where A is less, red where it is more. */
const DIFFERENCE = /** @type {Record<"light" | "dark", import("./palette.js").Scale>} */ ({
  light: [[0, "#1f5fa8"], [0.25, "#8db6dd"], [0.5, "#f6f6f5"], [0.75, "#ef9a8d"], [1, "#b01f35"]],
  dark: [[0, "#7db8f7"], [0.25, "#3c628d"], [0.5, "#1b1d22"], [0.75, "#8c4148"], [1, "#ff8d8d"]],
});

/**
 * @param {Comparison} comparison
 * @param {"a" | "b"} side
 * @param {string} stage
 * @param {number} batch
 * @param {number} head
 * @param {Look} look
 * @returns {Picture}
 */
export function sidePicture(comparison, side, stage, batch, head, look) {
  const { a, b } = comparison;
  const reach = isWeights(stage) ? 1 : Math.max(...[a, b].map((run) => reachOf(run, stage, Math.min(batch, batches(run) - 1), look.showMasked)));
  const run = comparison[side];
  const [item, row] = [Math.min(batch, batches(run) - 1), Math.min(head, run.layout.num_heads - 1)];
  return pictureOf(run, stage, item, row, look, scaleOf(stage, look.palette, reach, look.weightScale));
}

/**
 * @param {Comparison} comparison
 * @param {string} stage
 * @param {number} batch
 * @param {number} head
 * @param {{palette: import("./palette.js").Palette, dark: boolean}} look
 * @returns {Picture | null} null where the stage cannot be compared
 */
export function differencePicture({ stages, a }, stage, batch, head, { dark }) {
  const found = stages[stage];
  if (!found) return null;
  const tensors = { [STAGES[stage].tensor]: found.difference };
  const values = stageRows({ ...a, tensors }, stage, batch, head);
  const reach = finiteReach(found.difference.data);
  const scale = { zmin: -reach, zmax: reach, colorscale: DIFFERENCE[dark ? "dark" : "light"], bar: {} };
  return { stage, values, z: values, marks: marksOf(values, null, "none"), allowed: null, scale, label: brief };
}

/** @param {import("../api/answer.js").Answer} run */
function batches({ tensors: { allowed } }) {
  return allowed.shape[0];
}

/**
 * Largest finite distance from 0 over all heads, so that heads can be compared.
 * @param {ArrayLike<number>} data
 */
function finiteReach(data) {
  let reach = 0;
  for (let index = 0; index < data.length; index += 1) {
    const distance = Math.abs(data[index]);
    if (distance > reach && distance !== Infinity) reach = distance;
  }
  return reach || 1;
}
