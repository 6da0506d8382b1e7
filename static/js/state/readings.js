/** What is asked of a mask's readings, from what the page remembers. */

import { cellValue } from "../numbers.js";
import { toSpec } from "./to_spec.js";

/** By subject; the one that differs most often comes last and is shown first. */
export const NAMES = /** @type {const} */ ({
  array: ["allowed", "additive", "blocked"],
  causal: ["top_left", "bottom_right"],
  window: ["counts_itself", "both_sides", "beside_itself"],
});

/**
 * @param {import("./types.js").Document} content
 * @param {import("./types.js").Tools["readings"]} tool
 */
export function readingsBody(content, { subject, mask, window, show }) {
  /** @type {readonly string[]} */
  const names = NAMES[subject];
  return {
    spec: toSpec(content),
    subject,
    mask: subject === "array" && mask !== "" ? Number(mask) : null,
    window: subject === "window" && window.trim() !== "" ? cellValue(window) : null,
    show: names.includes(show) ? show : names[names.length - 1],
  };
}
