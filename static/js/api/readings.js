/** The answer of POST /api/readings: every reading of a mask, and the one on show beside the run as it is set. */

import { fetchJson } from "./client.js";
import { readComparison } from "./comparison.js";

/**
 * @typedef {object} Reading
 * @property {string} name
 * @property {string} line
 * @property {string} setup what stands before the line
 * @property {string[]} usedBy
 * @property {boolean} whole whether the line is the whole run
 * @property {boolean} same whether it is the run as it is set
 * @property {number} shown cells that come into sight
 * @property {number} hidden
 * @property {number} empty rows that see no key
 * @property {number} largest difference of the weights
 * @property {import("../state/types.js").Specification | null} fields
 *
 * @typedef {{subject: "array" | "causal" | "window", window: number | null, readings: Reading[], shown: string, comparison: import("./comparison.js").Comparison}} Readings
 */

/**
 * @param {Record<string, any>} request
 * @param {string} stage whose numbers are sent too
 * @param {AbortSignal} signal
 */
export async function fetchReadings(request, stage, signal) {
  const address = `api/readings?encoding=base64&include=${[...new Set([stage, "allowed"])].join(",")}`;
  return readReadings(await fetchJson(address, request, signal), request.show, stage);
}

/**
 * @param {any} body
 * @param {string} shown
 * @param {string} stage
 * @returns {Readings}
 */
export function readReadings(body, shown, stage) {
  return { subject: body.subject, window: body.window, readings: body.readings.map(readReading), shown, comparison: readComparison(body.shown, stage) };
}

/**
 * @param {any} reading
 * @returns {Reading}
 */
function readReading({ used_by: usedBy, shown_cells: shown, hidden_cells: hidden, empty_rows: empty, stages, ...reading }) {
  return { ...reading, usedBy, shown, hidden, empty, largest: Number(stages.weights.max_abs) };
}
