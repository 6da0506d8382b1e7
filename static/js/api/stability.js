/** The answer of POST /api/stability: every trial, and the one on show beside float64. */

import { fetchJson } from "./client.js";
import { readComparison } from "./comparison.js";

/**
 * @typedef {object} Event
 * @property {string} stage
 * @property {"overflow" | "not_a_number" | "vanished"} kind
 * @property {number} count
 * @property {number[]} first
 * @property {number} exact what float64 has at the first
 *
 * @typedef {object} Trial
 * @property {string} name
 * @property {"precision" | "softmax" | "set" | "added"} kind
 * @property {string} dtype
 * @property {number | null} fill
 * @property {number} largest difference of the weights
 * @property {{largest: number, mean: number} | null} finite the same where both are finite, null where no weight is
 * @property {Event[]} events
 * @property {{largest: number, at: number[]} | null} hidden
 * @property {"zero" | "nan" | "uniform" | "own" | null} empty
 * @property {import("../state/types.js").Specification | null} fields
 *
 * @typedef {{dtype: string, trials: Trial[], shown: Trial, comparison: import("./comparison.js").Comparison}} Stability
 */

/**
 * @param {{spec: import("../state/types.js").Specification, dtype: string, show: string}} request
 * @param {string} stage whose numbers are sent too
 * @param {AbortSignal} signal
 */
export async function fetchStability(request, stage, signal) {
  const address = `api/stability?encoding=base64&include=${stage},allowed`;
  return readStability(await fetchJson(address, request, signal), request.show, stage);
}

/**
 * @param {any} body
 * @param {string} show
 * @param {string} stage
 * @returns {Stability}
 */
export function readStability(body, show, stage) {
  const trials = body.trials.map(readTrial);
  const shown = trials.find((/** @type {Trial} */ { name }) => name === show);
  return { dtype: body.dtype, trials, shown, comparison: readComparison(body.shown, stage) };
}

/**
 * @param {any} trial
 * @returns {Trial}
 */
function readTrial({ stages, hidden_weight: hidden, empty_rows: empty, finite_weights: weights, events, fill, ...trial }) {
  const largest = Number(stages.weights.max_abs);
  const finite = weights && { largest: weights.max_abs, mean: weights.mean_abs };
  const told = events.map((/** @type {any} */ event) => ({ ...event, exact: Number(event.exact) }));
  return { ...trial, fill: fill === null ? null : Number(fill), largest, finite, events: told, hidden, empty };
}
