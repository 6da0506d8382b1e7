/** The answer of POST /api/compare with its tensors decoded, and both runs as answers of their own. */

import { decodeTyped } from "../tensors.js";
import { readAnswer } from "./answer.js";

/**
 * @typedef {object} StageDifference
 * @property {number} max
 * @property {number} mean
 * @property {number[]} at where the largest is
 * @property {number[] | null} first the first cell that differs, null where all are equal
 * @property {import("../tensors.js").Tensor} difference
 *
 * @typedef {object} Comparison
 * @property {string} stage the one whose tensors both runs hold
 * @property {Record<string, StageDifference>} stages
 * @property {Record<string, string>} incomparable why, by stage
 * @property {import("./answer.js").Answer} a
 * @property {import("./answer.js").Answer} b
 */

/**
 * @param {any} body
 * @param {string} stage
 * @returns {Comparison}
 */
export function readComparison(body, stage) {
  const stages = Object.entries(body.stages).map(([name, { max_abs: max, mean_abs: mean, at, first, difference }]) => {
    return [name, { max: Number(max), mean: Number(mean), at, first, difference: decodeTyped(difference) }];
  });
  return {
    stage,
    stages: Object.fromEntries(stages),
    incomparable: body.incomparable,
    a: readAnswer({ ...body.runs.a, tensors: body.a }),
    b: readAnswer({ ...body.runs.b, tensors: body.b }),
  };
}
