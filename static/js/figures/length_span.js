/** Which part of a stage's picture a window shows: queries and keys are its axes, or only one of them is. */

import { STAGES } from "../state/stages.js";
import { windowIn } from "../state/length.js";

/** @typedef {import("../api/answer.js").Plan} Plan */
/** @typedef {import("../state/length.js").Window} Window */
/** @typedef {import("../state/length.js").Range} Range */
/** @typedef {"rows" | "cols" | null} Side side of the window that an axis shows */

/**
 * @typedef {object} Span
 * @property {Range} rows
 * @property {Range} cols
 * @property {{rows: number, cols: number}} totals
 * @property {{rows: Side, cols: Side}} sides
 */

/**
 * T queries and S keys of a plan.
 * @param {Plan} plan
 */
export function lengthsOf({ steps }) {
  const [, , T = 1, S = 1] = steps.find(({ name }) => name === "weights")?.shape ?? [];
  return { T, S };
}

/**
 * @param {Plan} plan
 * @param {string} stage
 * @param {Window | null} window
 * @returns {Span}
 */
export function spanOf(plan, stage, window) {
  const lengths = lengthsOf(plan);
  const shown = windowIn(window, lengths);
  const { kind, rows } = STAGES[stage];
  const cells = kind === "cells" || kind === "masks";
  const shape = plan.steps.find(({ name }) => name === stage)?.shape ?? [];
  const wide = kind === "strip" ? 1 : (shape.at(-1) ?? 1);
  const down = rows === "key" ? "cols" : "rows";
  return {
    rows: shown[down],
    cols: cells ? shown.cols : [0, wide],
    totals: { rows: rows === "key" ? lengths.S : lengths.T, cols: cells ? lengths.S : wide },
    sides: { rows: down, cols: cells ? "cols" : null },
  };
}

/**
 * The window with what the picture's axes were moved to.
 * @param {Window} window
 * @param {Span} span
 * @param {{rows: Range, cols: Range}} ranges
 * @returns {Window}
 */
export function movedWindow(window, { sides }, ranges) {
  const moved = { ...window };
  if (sides.rows) moved[sides.rows] = ranges.rows;
  if (sides.cols) moved[sides.cols] = ranges.cols;
  return moved;
}

/**
 * The stage on show at length, as far as this run has it.
 * @param {Plan} plan
 * @param {string} wanted
 */
export function lengthStage({ steps }, wanted) {
  return steps.some(({ name }) => name === wanted) ? wanted : "weights";
}

/**
 * The head that a stage is asked for: a KV head, a query head, or 0 where there is none.
 * @param {Plan} plan
 * @param {string} stage
 * @param {number} head
 */
export function stageHead({ layout }, stage, head) {
  const { heads } = STAGES[stage];
  return heads === "none" ? 0 : heads === "kv" ? layout.kv_head_of[head] : head;
}

/**
 * Labels of a sequence's queries or keys.
 * @param {Plan} plan
 * @param {"queries" | "keys"} which
 * @param {number} batch
 */
export function labelsOf({ tokens }, which, batch) {
  return tokens[which][batch] ?? tokens[which][0] ?? [];
}
