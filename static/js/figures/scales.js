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

/** @typedef {{min: number, max: number}} Range of finite numbers; Infinity … −Infinity where there are none */

/**
 * Smallest and largest number of a stage over all heads of one sequence; of scores and weights only cells on show,
 * so that a fill of −1e9 drowns nothing.
 * @param {Answer} answer
 * @param {string} stage
 * @param {number} batch
 * @param {boolean} showMasked whether scores of masked cells are on show too
 * @returns {Range | null} null while the stage has not come
 */
export function rangeOf({ tensors }, stage, batch, showMasked) {
  const { tensor: name, kind } = STAGES[stage];
  const tensor = tensors[name];
  if (!tensor) return null;
  const visibleOnly = kind === "cells" && !(showMasked && stage === "scores");
  return remembered(tensor, [batch, visibleOnly].join(), () => rangeIn(ofSequence(tensor, batch), visibleOnly ? ofSequence(tensors.allowed, batch) : null));
}

/** @type {WeakMap<object, Map<string, Range>>} */
const memory = new WeakMap();

/**
 * The line of the stage, the legend and every picture ask for it.
 * @param {object} tensor
 * @param {string} key
 * @param {() => Range} make
 */
function remembered(tensor, key, make) {
  const known = memory.get(tensor) ?? new Map();
  memory.set(tensor, known);
  if (!known.has(key)) known.set(key, make());
  return known.get(key) ?? make();
}

/**
 * @param {import("../tensors.js").Tensor} tensor
 * @param {number} batch
 */
function ofSequence({ data, shape }, batch) {
  const size = data.length / shape[0];
  return data.subarray(batch * size, (batch + 1) * size);
}

/**
 * @param {ArrayLike<number>} numbers
 * @param {ArrayLike<number> | null} visible the same for each head where there are fewer
 * @returns {Range}
 */
function rangeIn(numbers, visible) {
  const masks = visible?.length ?? 1;
  let [min, max] = [Infinity, -Infinity];
  for (let cell = 0, mask = 0; cell < numbers.length; cell += 1, mask = mask + 1 === masks ? 0 : mask + 1) {
    if (visible && !visible[mask]) continue;
    const value = numbers[cell];
    if (value < min && value !== -Infinity) min = value;
    if (value > max && value !== Infinity) max = value;
  }
  return { min, max };
}

/**
 * Largest distance from 0 of a stage; the scores of every stage share one.
 * @param {Answer} answer
 * @param {string} stage
 * @param {number} batch
 * @param {boolean} showMasked
 */
export function reachOf(answer, stage, batch, showMasked) {
  const range = rangeOf(answer, stage === "masked_scores" ? "scores" : stage, batch, showMasked && stage === "scores");
  return range && range.min <= range.max ? Math.max(-range.min, range.max) || 1 : 1;
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
