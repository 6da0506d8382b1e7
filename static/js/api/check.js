/** The answer of POST /api/check, and the two runs that its pictures are drawn from. */

import { STAGES } from "../state/stages.js";
import { readAnswer } from "./answer.js";
import { fetchJson } from "./client.js";
import { decodeTyped } from "../tensors.js";

/**
 * @typedef {object} TensorVerdict
 * @property {boolean} passed
 * @property {number | null} max largest difference, null where the shapes differ
 * @property {number[] | null} worst
 * @property {number[] | null} firstBad
 * @property {number | null} expected at the worst cell
 * @property {number | null} got
 * @property {number | null} bad cells out of tolerance
 * @property {string | null} why the shapes differ
 *
 * @typedef {object} Cause
 * @property {string} mistake one name, or two joined by +
 * @property {string} explanation
 * @property {string[]} details of each mistake, the way in which it was made
 * @property {number} max what remains
 * @property {import("../state/types.js").Specification} fields
 *
 * @typedef {object} Check
 * @property {boolean} passed
 * @property {number} rtol
 * @property {number} atol
 * @property {Record<string, TensorVerdict>} tensors
 * @property {Cause[]} causes
 * @property {number} tried
 * @property {string[]} mistakes
 * @property {import("./answer.js").Answer} run
 * @property {import("./comparison.js").Comparison | null} pictured ours as a and yours as b; null where the shapes differ
 */

/**
 * @param {import("../state/own_numbers.js").CheckBody} request
 * @param {string} stage whose tensors are sent too
 * @param {AbortSignal} signal
 */
export async function fetchCheck(request, stage, signal) {
  return readCheck(await fetchJson(`api/check?encoding=base64&include=${stage},allowed`, request, signal), stage);
}

/**
 * @param {import("../state/types.js").Specification} spec
 * @param {AbortSignal} signal
 * @returns {Promise<string[]>} the mistakes that change what is computed
 */
export async function fetchMistakes(spec, signal) {
  const { mistakes } = await fetchJson("api/mistakes", { spec }, signal);
  return mistakes.map((/** @type {{mistake: string}} */ { mistake }) => mistake);
}

/**
 * @param {import("../state/types.js").Specification} spec
 * @param {string} make the mistake
 * @returns {Promise<{weights: import("../tensors.js").Tensor, output: import("../tensors.js").Tensor}>} the wrong numbers
 */
export async function fetchMistake(spec, make) {
  const { tensors } = await fetchJson("api/mistakes?encoding=base64", { spec, make });
  return { weights: decodeTyped(tensors.weights), output: decodeTyped(tensors.output) };
}

/**
 * @param {any} body
 * @param {string} stage whose tensors came with it
 * @returns {Check}
 */
export function readCheck(body, stage) {
  const { pass: passed, rtol, atol, causes, tried, mistakes } = body;
  const tensors = Object.fromEntries(Object.entries(body.tensors).map(([name, verdict]) => [name, readVerdict(verdict)]));
  return {
    passed,
    rtol,
    atol,
    tensors,
    causes: causes.map((/** @type {any} */ { max_abs: max, ...cause }) => ({ ...cause, max: Number(max) })),
    tried,
    mistakes,
    run: readAnswer({ ...body.run, tensors: body.computed }),
    pictured: body.difference[stage] ? pictured(body, stage, tensors[stage]) : null,
  };
}

/** @param {any} verdict */
function readVerdict({ pass: passed, max_abs: max, worst, first_bad: firstBad, expected, got, bad_cells: bad, why }) {
  const number = (/** @type {any} */ value) => (value === null ? null : Number(value));
  return { passed, max: number(max), worst, firstBad, expected: number(expected), got: number(got), bad, why };
}

/**
 * @param {any} body
 * @param {string} stage
 * @param {TensorVerdict} verdict
 * @returns {import("./comparison.js").Comparison}
 */
function pictured({ run, computed, given, difference }, stage, { max, worst, firstBad }) {
  const yours = decodeTyped(given[stage]);
  const { tensor } = STAGES[stage];
  const ours = readAnswer({ ...run, tensors: computed });
  const steps = ours.steps.map((step) => (step.name === stage ? { ...step, ...rangeOf(yours.data) } : step));
  return {
    stage,
    stages: { [stage]: { max: max ?? NaN, mean: NaN, at: worst ?? [], first: firstBad, difference: decodeTyped(difference[stage]) } },
    incomparable: {},
    a: ours,
    b: { ...ours, steps, tensors: { ...ours.tensors, [tensor]: yours } },
  };
}

/**
 * Of the finite numbers.
 * @param {ArrayLike<number>} data
 */
function rangeOf(data) {
  let [min, max] = [Infinity, -Infinity];
  for (let index = 0; index < data.length; index += 1) {
    if (!Number.isFinite(data[index])) continue;
    min = Math.min(min, data[index]);
    max = Math.max(max, data[index]);
  }
  return min <= max ? { min, max } : { min: null, max: null };
}
