/** Which tensors the page needs: no more than what is on show is asked for. */

import { STAGES, STATISTICS } from "../state/stages.js";

/** @typedef {import("../store.js").AppState} AppState */

/** What the pair of pictures is always drawn from. */
const DRAWN = ["scores", "weights", "allowed", "blocked_by"];

/** What only the card of a cell shows. */
const DETAILS = ["dot_products", "masked_scores"];

/** Beyond so many cells, what no picture needs waits until the picture is there. */
const MOST_WITH_DETAILS = 2 ** 16;
/** One number a head is little to send, yet takes the server a pass over all cells. */
const MOST_WITH_STATISTICS = 2 ** 20;

/**
 * Asked for with the answer.
 * @param {AppState} state
 * @param {number} cells of all heads and sequences
 * @returns {string[]}
 */
export function firstTensors(state, cells) {
  const statistics = cells > MOST_WITH_STATISTICS ? [] : STATISTICS;
  return unique([...neededNow(state), ...statistics, ...(cells > MOST_WITH_DETAILS ? [] : DETAILS)]);
}

/**
 * Asked for after it: what the answer lacks for what is on show by now.
 * @param {AppState} state
 * @returns {string[]}
 */
export function missingTensors(state) {
  const { answer, details, cursor } = state;
  if (!answer) return [];
  const wanted = unique([...neededNow(state), ...STATISTICS, ...(cursor ? DETAILS : [])]);
  return wanted.filter((name) => !answer.tensors[name] && !details[name]);
}

/**
 * Whether a picture waits for what is missing.
 * @param {AppState} state
 */
export function isUrgent(state) {
  const missing = missingTensors(state);
  return neededNow(state).some((name) => missing.includes(name));
}

/** @param {AppState} state */
function neededNow({ view, document }) {
  const { tensor } = STAGES[view.stage] ?? STAGES.weights;
  const dropout = document.settings.dropout.on || document.also.dropout;
  return [...DRAWN, ...(tensor === "dropped_weights" && !dropout ? [] : [tensor]), ...(view.average ? ["average_weights"] : [])];
}

/** @param {string[]} names */
function unique(names) {
  return [...new Set(names)];
}

/**
 * The answer with all that has come for it so far.
 * @param {AppState} state
 */
export function wholeAnswer({ answer, details }) {
  return answer && { ...answer, tensors: { ...answer.tensors, ...details } };
}
