/** What a colour means: weights 0…1 on one scale, scores around 0 on another, alike for all heads. */

/** @typedef {import("../api/answer.js").Answer} Answer */
/** @typedef {"weights" | "scores"} Stage */

/**
 * Largest distance from 0 of any score on show, over all heads of one sequence.
 * @param {Answer} answer
 * @param {number} batch
 * @param {boolean} withMasked whether scores of masked cells are on show too
 */
export function scoreReach({ tensors: { scores, allowed } }, batch, withMasked) {
  const cells = scores.data.length / scores.shape[0];
  const masks = allowed.data.length / allowed.shape[0];
  let reach = 0;
  for (let cell = 0; cell < cells; cell += 1) {
    if (!withMasked && !allowed.data[batch * masks + (cell % masks)]) continue;
    const distance = Math.abs(scores.data[batch * cells + cell]);
    if (distance > reach && distance !== Infinity) reach = distance;
  }
  return reach || 1;
}

/**
 * @param {Stage} stage
 * @param {import("./palette.js").Palette} palette
 * @param {number} reach
 */
export function scaleOf(stage, palette, reach) {
  return stage === "weights"
    ? { zmin: 0, zmax: 1, colorscale: palette.weights }
    : { zmin: -reach, zmax: reach, colorscale: palette.scores };
}
