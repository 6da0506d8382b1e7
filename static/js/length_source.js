/** Windows of a long run from the server, painted as they come; those that were finished are kept. */

import { ProblemError, fetchWindow } from "./api/client.js";
import { toSpec } from "./state/to_spec.js";

/** @typedef {import("./state/types.js").Document} Document */
/** @typedef {import("./api/view.js").Found} Found */
/** @typedef {{document: Document, stage: string, batch: number, head: number, reduce: "max" | "mean"}} Subject what is looked at */
/** @typedef {{range: [number, number], cells: number}} Side */

/** Each is at most 512 × 512 numbers and as many shares: 2 MiB. */
const MOST_KEPT = 48;

/** @type {WeakMap<Document, number>} */
const numbers = new WeakMap();
let count = 0;

/** @param {Document} document */
function numberOf(document) {
  const known = numbers.get(document) ?? (count += 1);
  numbers.set(document, known);
  return known;
}

/** @param {Subject} subject */
export function subjectKey({ document, stage, batch, head, reduce }) {
  return [numberOf(document), stage, batch, head, reduce].join();
}

export function createWindowSource() {
  /** @type {Map<string, Found>} the least recently used first */
  const kept = new Map();

  /** @param {string} key */
  function known(key) {
    const found = kept.get(key);
    if (found) kept.set(key, (kept.delete(key), found));
    return found;
  }

  return {
    /**
     * @param {Subject} subject
     * @param {Side} rows
     * @param {Side} cols
     * @returns {Found | undefined} what was finished before
     */
    known: (subject, rows, cols) => known(keyOf(subject, rows, cols)),
    /**
     * @param {Subject} subject
     * @param {Side} rows
     * @param {Side} cols
     * @param {AbortSignal} signal
     * @param {(found: Found) => void} paint called for each part
     * @returns {Promise<Found | null>} null where it was given up
     */
    async load(subject, rows, cols, signal, paint) {
      const key = keyOf(subject, rows, cols);
      let last = known(key) ?? null;
      if (last) return paint(last), last;
      try {
        for await (last of fetchWindow(requestOf(subject, rows, cols), signal)) if (!signal.aborted && last.of > 0) paint(last);
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      }
      if (signal.aborted) return null;
      if (!last?.finished) throw new ProblemError({ title: "", detail: "", status: 0, errors: [] });
      kept.set(key, last);
      if (kept.size > MOST_KEPT) kept.delete(/** @type {string} */ (kept.keys().next().value));
      return last;
    },
  };
}

/**
 * @param {Subject} subject
 * @param {Side} rows
 * @param {Side} cols
 */
function keyOf(subject, rows, cols) {
  return [subjectKey(subject), ...rows.range, rows.cells, ...cols.range, cols.cells].join();
}

/**
 * @param {Subject} subject
 * @param {Side} rows
 * @param {Side} cols
 */
function requestOf({ document, stage, batch, head, reduce }, rows, cols) {
  return { spec: toSpec(document), stage, batch, head, reduce, rows: rows.range, cols: cols.range, max_rows: rows.cells, max_cols: cols.cells };
}
