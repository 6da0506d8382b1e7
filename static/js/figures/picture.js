/** One head's part of one stage, ready to draw: colours' numbers, marks and labels. Large or as a tile. */

import { brief } from "../numbers.js";
import { STAGES, isWeights } from "../state/stages.js";
import { headRows } from "../tensors.js";
import { coverOf, marksOf } from "./marks.js";
import { reachOf, scaleOf } from "./scales.js";
import { stageRows } from "./stages.js";

/** @typedef {import("../api/answer.js").Answer} Answer */
/** @typedef {import("../tensors.js").Numbers} Numbers */

/**
 * @typedef {object} Look how things are to be shown: a part of the view
 * @property {import("./palette.js").Palette} palette
 * @property {boolean} showMasked
 * @property {"fixed" | "row" | "log"} weightScale
 */

/**
 * @typedef {object} Picture
 * @property {string} stage
 * @property {ArrayLike<number>[]} values as served
 * @property {ArrayLike<number>[]} z what the colours stand for
 * @property {Float32Array[]} marks
 * @property {ArrayLike<number>[] | null} allowed null where nothing can be masked
 * @property {import("./scales.js").Scale} scale
 * @property {(value: number) => string} label of a cell with room for one
 */

/**
 * @param {Answer} answer
 * @param {string} stage
 * @param {number} batch
 * @param {Look} look
 */
export function stageScale(answer, stage, batch, { palette, showMasked, weightScale }) {
  const reach = isWeights(stage) || STAGES[stage].kind === "masks" ? 1 : reachOf(answer, stage, batch, showMasked);
  return scaleOf(stage, palette, reach, weightScale, answer.masks.length);
}

/**
 * @param {Answer} answer
 * @param {string} stage
 * @param {number} batch
 * @param {number} head
 * @param {Look} look
 * @param {import("./scales.js").Scale} [scale] where it is known already
 * @returns {Picture}
 */
export function pictureOf(answer, stage, batch, head, look, scale = stageScale(answer, stage, batch, look)) {
  const cells = STAGES[stage].columns === "key";
  const key = [stage, batch, head, look.showMasked, look.weightScale, scale.zmin, scale.zmax].join();
  const made = remembered(answer.tensors[STAGES[stage].tensor], key, () => {
    const allowed = cells ? headRows(answer.tensors.allowed, batch, head) : null;
    return painted(stage, stageRows(answer, stage, batch, head), allowed, look, scale);
  });
  return { ...made, scale };
}

/** @type {WeakMap<object, Map<string, Picture>>} */
const memory = new WeakMap();

/**
 * The overview, the legend and the large picture show the same numbers: they are made ready once.
 * @param {object} tensor
 * @param {string} key
 * @param {() => Picture} make
 * @returns {Picture}
 */
function remembered(tensor, key, make) {
  const known = memory.get(tensor) ?? new Map();
  memory.set(tensor, known);
  if (!known.has(key)) known.set(key, make());
  return known.get(key);
}

/**
 * The average of the heads' weights.
 * @param {Answer} answer
 * @param {number} batch
 * @param {Look} look
 * @param {import("./scales.js").Scale} scale
 * @returns {Picture}
 */
export function averagePicture({ tensors: { average_weights: average, allowed } }, batch, look, scale) {
  const [B, T, S] = average.shape;
  const rows = headRows({ ...average, shape: [B, 1, T, S] }, batch, 0);
  return painted("weights", rows, headRows(allowed, batch, 0), look, scale);
}

/**
 * @param {string} stage
 * @param {Numbers[]} values
 * @param {Numbers[] | null} allowed
 * @param {Look} look
 * @param {import("./scales.js").Scale} scale
 * @returns {Picture}
 */
function painted(stage, values, allowed, { showMasked }, scale) {
  const z = scale.shown ? values.map(scale.shown) : values;
  const masks = STAGES[stage].kind === "masks";
  const marks = masks ? z.map((row) => new Float32Array(row.length).fill(NaN)) : marksOf(values, allowed, coverOf(stage, showMasked), z, scale);
  return { stage, values, z, marks, allowed, scale, label: labelOf(stage) };
}

/** @param {string} stage */
function labelOf(stage) {
  if (isWeights(stage)) return (/** @type {number} */ value) => value.toFixed(3);
  return STAGES[stage].kind === "masks" ? () => "" : brief;
}
