/** What stages and axes are called on the page. */

import { t } from "../strings.js";

/** @typedef {import("../strings.js").Key} Key */

/** @param {string} stage */
export function stageName(stage) {
  return t(/** @type {Key} */ (`stage.${stage}`));
}

/** @param {string} axis */
export function axisName(axis) {
  return t(/** @type {Key} */ (`axis.${axis}`));
}
