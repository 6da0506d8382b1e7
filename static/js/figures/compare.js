/** Two runs beside each other on one scale, and A − B on a diverging scale of its own. */

import { brief } from "../numbers.js";
import { STAGES, isWeights } from "../state/stages.js";
import { headRows } from "../tensors.js";
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

/** @typedef {{visible: string, masked: string, onlyA: string, both: string, onlyB: string}} MaskWords what the colours of a mask stand for */

/**
 * @param {Comparison} comparison
 * @param {"a" | "b"} side
 * @param {string} stage
 * @param {number} batch
 * @param {number} head
 * @param {Look} look
 * @param {MaskWords} words
 * @returns {Picture}
 */
export function sidePicture(comparison, side, stage, batch, head, look, words) {
  const { a, b } = comparison;
  const run = comparison[side];
  const [item, row] = [Math.min(batch, batches(run) - 1), Math.min(head, run.layout.num_heads - 1)];
  if (STAGES[stage].kind === "masks") {
    const { masked, visible } = look.palette;
    const allowed = comparedRows(run, stage, item, row);
    return { ...flatPicture(allowed, 0, [masked, visible], [words.masked, words.visible]), allowed };
  }
  const reach = isWeights(stage) ? 1 : Math.max(...[a, b].map((one) => reachOf(one, stage, Math.min(batch, batches(one) - 1), look.showMasked)));
  return pictureOf(run, stage, item, row, look, scaleOf(stage, look.palette, reach, look.weightScale));
}

/**
 * @param {Comparison} comparison
 * @param {string} stage
 * @param {number} batch
 * @param {number} head
 * @param {{palette: import("./palette.js").Palette, dark: boolean}} look
 * @param {MaskWords} words
 * @returns {Picture | null} null where the stage cannot be compared
 */
export function differencePicture(comparison, stage, batch, head, { dark }, words) {
  const run = differenceRun(comparison, stage);
  if (!run) return null;
  const values = comparedRows(run, stage, batch, head);
  const colours = DIFFERENCE[dark ? "dark" : "light"];
  if (STAGES[stage].kind === "masks") {
    const flat = [colours[0], colours[2], colours[4]].map(([, colour]) => colour);
    return flatPicture(values, -1, flat, [words.onlyB, words.both, words.onlyA]);
  }
  const reach = finiteReach(comparison.stages[stage].difference.data);
  const scale = { zmin: -reach, zmax: reach, colorscale: colours, bar: {} };
  return { stage, values, z: values, marks: marksOf(values, null, "none"), allowed: null, scale, label: brief };
}

/**
 * A − B as if it were a run of its own; null where the stage cannot be compared.
 * @param {Comparison} comparison
 * @param {string} stage
 * @returns {import("../api/answer.js").Answer | null}
 */
export function differenceRun({ stages, a }, stage) {
  return stages[stage] ? { ...a, tensors: { [stage]: stages[stage].difference } } : null;
}

/**
 * One head's part of a compared stage. Masks are compared by what they leave visible, 1 or 0.
 * @param {import("../api/answer.js").Answer} run
 * @param {string} stage
 * @param {number} batch
 * @param {number} head
 */
export function comparedRows(run, stage, batch, head) {
  return STAGES[stage].kind === "masks" ? headRows(run.tensors.allowed, batch, head) : stageRows(run, stage, batch, head);
}

/**
 * One colour for each whole number, named at the colour bar.
 * @param {import("../tensors.js").Numbers[]} values
 * @param {number} first
 * @param {string[]} colours
 * @param {string[]} names
 * @returns {Picture}
 */
function flatPicture(values, first, colours, names) {
  const steps = colours.flatMap((colour, index) => [[index / colours.length, colour], [(index + 1) / colours.length, colour]]);
  const bar = { tickmode: "array", tickvals: names.map((_, index) => first + index), ticktext: names };
  const scale = { zmin: first - 0.5, zmax: first + colours.length - 0.5, colorscale: /** @type {import("./palette.js").Scale} */ (steps), bar };
  return { stage: "allowed", values, z: values, marks: marksOf(values, null, "none"), allowed: null, scale, label: () => "" };
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
