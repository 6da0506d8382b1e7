/** Trials and what happens in them, in words. */

import { brief, exact } from "../numbers.js";
import { t } from "../strings.js";
import { stageName } from "./names.js";

/** @typedef {import("../api/stability.js").Trial} Trial */
/** @typedef {import("../api/stability.js").Event} Event */
/** @typedef {import("../strings.js").Key} Key */

/** The largest number of each dtype, IEEE 754 and bfloat16. */
const LARGEST = /** @type {Record<string, number>} */ ({ float16: 65504, bfloat16: 3.3895313892515355e38, float32: 3.4028234663852886e38, float64: Number.MAX_VALUE });

/** Stages of the arithmetic alone, and the picture that their cells are found in. */
export const PICTURED = /** @type {Record<string, string>} */ ({ dot_products: "scores", exponentials: "masked_scores", exponential_sums: "logsumexp" });

/** @param {Trial} trial */
export function trialName({ name, kind, dtype, fill }) {
  if (kind === "precision" || kind === "softmax") return dtype;
  if (name.endsWith(" min")) return t("stability.fill.min", { value: fill === -LARGEST.float16 ? exact(fill, false) : brief(Number(fill)) });
  return fill === -Infinity ? "−∞" : name.slice(name.indexOf(" ") + 1).replace("-", "−");
}

/** @param {Trial} trial */
export function trialTitle(trial) {
  return t(`stability.title.${trial.kind}`, { dtype: trial.dtype, fill: trialName(trial) });
}

/** @param {string} stage */
function nameOf(stage) {
  return stage in PICTURED ? t(/** @type {Key} */ (`stability.${stage}`)) : stageName(stage);
}

/** @param {Event} event */
export function eventText({ stage, kind, count }) {
  return t(`stability.${kind}`, { stage: nameOf(stage), count });
}

/**
 * @param {Event} event
 * @param {string} dtype
 */
export function eventStory({ stage, kind, count, exact: number }, dtype) {
  const key = stage === "exponential_sums" && kind === "vanished" ? "stability.vanishedSum.long" : /** @type {Key} */ (`stability.${kind}.long`);
  return t(key, { stage: nameOf(stage), count, dtype, limit: dtype === "float16" ? String(LARGEST.float16) : brief(LARGEST[dtype]), exact: numberText(number) });
}

/** @param {number} value */
export function numberText(value) {
  return Number.isFinite(value) ? brief(value) : exact(value, false);
}
