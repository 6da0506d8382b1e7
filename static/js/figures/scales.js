/** What a colour means: weights 0…1 on one scale, everything signed around 0 on another, alike for all heads. */

import { STAGES, isWeights } from "../state/stages.js";

/** @typedef {import("../api/answer.js").Answer} Answer */
/** @typedef {"fixed" | "row" | "log"} WeightScale */

/**
 * @typedef {object} Scale
 * @property {number} zmin
 * @property {number} zmax
 * @property {import("./palette.js").Scale} colorscale
 * @property {Record<string, any>} bar what the colour bar shows besides
 * @property {(row: ArrayLike<number>) => ArrayLike<number>} [shown] the numbers that colours stand for, where they are not the served ones
 */

/** The log scale begins at 10 to this power. */
export const LOG_FLOOR = -6;

/**
 * Largest distance from 0 of any score on show, over all heads of one sequence.
 * @param {Answer} answer
 * @param {number} batch
 * @param {boolean} withMasked whether scores of masked cells are on show too
 */
export function scoreReach({ tensors: { scores, allowed } }, batch, withMasked) {
  const cells = scores.data.length / scores.shape[0];
  const masks = allowed.data.length / allowed.shape[0];
  const found = scores.data.subarray(batch * cells, (batch + 1) * cells);
  const visible = allowed.data.subarray(batch * masks, (batch + 1) * masks);
  let reach = 0;
  for (let cell = 0, mask = 0; cell < cells; cell += 1, mask = mask + 1 === masks ? 0 : mask + 1) {
    if (!withMasked && !visible[mask]) continue;
    const distance = Math.abs(found[cell]);
    if (distance > reach && distance !== Infinity) reach = distance;
  }
  return reach || 1;
}

/**
 * Largest distance from 0 of a stage; the scores of every stage share one, so that a fill of −1e9 drowns nothing.
 * @param {Answer} answer
 * @param {string} stage
 * @param {number} batch
 * @param {boolean} withMasked
 */
export function reachOf(answer, stage, batch, withMasked) {
  if (STAGES[stage].kind === "cells") return scoreReach(answer, batch, withMasked && stage === "scores");
  const step = answer.steps.find(({ name }) => name === stage);
  return Math.max(Math.abs(step?.min ?? 0), Math.abs(step?.max ?? 0)) || 1;
}

/**
 * @param {string} stage
 * @param {import("./palette.js").Palette} palette
 * @param {number} reach
 * @param {WeightScale} [weightScale]
 * @param {number} [blockers] how many masks there are
 * @returns {Scale}
 */
export function scaleOf(stage, palette, reach, weightScale = "fixed", blockers = 0) {
  if (STAGES[stage].kind === "masks") return maskScale(palette, blockers);
  if (!isWeights(stage)) return { zmin: -reach, zmax: reach, colorscale: palette.scores, bar: {} };
  if (weightScale === "row") return { zmin: 0, zmax: 1, colorscale: palette.weights, bar: { ticksuffix: "×" }, shown: perRow };
  if (weightScale === "log") return { zmin: LOG_FLOOR, zmax: 0, colorscale: palette.weights, bar: powers(), shown: logs };
  return { zmin: 0, zmax: 1, colorscale: palette.weights, bar: {} };
}

/**
 * Shares of the row's largest weight.
 * @param {ArrayLike<number>} row
 */
function perRow(row) {
  let largest = 0;
  for (let s = 0; s < row.length; s += 1) if (row[s] > largest) largest = row[s];
  return Float64Array.from(row, (value) => (largest ? value / largest : value));
}

/** @param {ArrayLike<number>} row */
function logs(row) {
  return Float64Array.from(row, (value) => Math.log10(value));
}

function powers() {
  const tickvals = Array.from({ length: 1 - LOG_FLOOR }, (_, index) => LOG_FLOOR + index);
  const ticktext = tickvals.map((power) => (power > -4 ? String(10 ** power) : `1e${power}`));
  return { tickmode: "array", tickvals, ticktext };
}

/**
 * Flat colours: visible, one for each mask, and one for cells that several masks block.
 * @param {import("./palette.js").Palette} palette
 * @param {number} blockers
 * @returns {Scale}
 */
function maskScale(palette, blockers) {
  const colours = maskColours(palette, blockers);
  const steps = /** @type {import("./palette.js").Scale} */ (
    colours.flatMap((colour, index) => [
      [index / colours.length, colour],
      [(index + 1) / colours.length, colour],
    ])
  );
  return { zmin: -0.5, zmax: colours.length - 0.5, colorscale: steps, bar: { hidden: true }, shown: categories(blockers) };
}

/**
 * @param {import("./palette.js").Palette} palette
 * @param {number} blockers
 */
export function maskColours(palette, blockers) {
  const each = Array.from({ length: blockers }, (_, index) => palette.blockers[index % palette.blockers.length]);
  return [palette.visible, ...each, palette.several];
}

/**
 * From bits to 0 for visible, 1 + i for the mask i alone, and one more for several.
 * @param {number} blockers
 */
export function categories(blockers) {
  return (/** @type {ArrayLike<number>} */ row) => Float32Array.from(row, (bits) => category(bits, blockers));
}

/**
 * @param {number} bits
 * @param {number} blockers
 */
function category(bits, blockers) {
  if (bits === 0) return 0;
  return bits & (bits - 1) ? blockers + 1 : 32 - Math.clz32(bits);
}
