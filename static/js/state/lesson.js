/** The steps of the lesson: which one is on show, and whether its state still is. */

import { fromSpec } from "./from_spec.js";
import { toSpec } from "./to_spec.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").View} View */
/** @typedef {import("./types.js").Cell} Cell */
/** @typedef {import("./types.js").Specification} Specification */

/**
 * @typedef {object} LessonStep
 * @property {string} name
 * @property {Specification} spec
 * @property {{batch: number, head: number, stage: string, cell: Cell | null}} view
 * @property {{name: string, spec: Specification}[]} tries changes that are worth making
 */

/** What is on show where nothing of the step was changed. */
export const AS_GIVEN = "";
/** What is on show is none of the step's states. */
export const CHANGED = null;

/**
 * The parts of the page's state that a step sets; what was chosen of theme, language and colours stays.
 * @param {LessonStep} step
 * @param {View} view
 * @returns {{document: Document, view: View, cursor: Cell | null, pinned: boolean}}
 */
export function stateOfStep({ spec, view: { cell, ...look } }, view) {
  const start = { example: "", gridHead: 0, source: /** @type {const} */ (""), tab: "lesson", window: null, whole: false };
  return { document: fromSpec(spec), view: { ...view, ...start, ...look }, cursor: cell, pinned: cell !== null };
}

/**
 * @param {LessonStep} step
 * @param {Document} document
 * @returns {string | null} the name of the try on show, AS_GIVEN or CHANGED
 */
export function variantOnShow({ spec, tries }, document) {
  const shown = textOf(toSpec(document));
  const states = [{ name: AS_GIVEN, spec }, ...tries];
  return states.find((state) => textOf(toSpec(fromSpec(state.spec))) === shown)?.name ?? CHANGED;
}

/**
 * The same for the same fields, in whatever order they stand.
 * @param {any} value
 * @returns {string}
 */
function textOf(value) {
  return JSON.stringify(value, (_, part) => {
    const plain = typeof part === "object" && part !== null && !Array.isArray(part);
    return plain ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part;
  });
}

/**
 * @param {LessonStep[]} steps
 * @param {string} name
 * @returns {{index: number, step: LessonStep | undefined, previous: LessonStep | undefined, next: LessonStep | undefined}} index −1 before the first
 */
export function placeIn(steps, name) {
  const index = steps.findIndex((step) => step.name === name);
  return { index, step: steps[index], previous: steps[index - 1], next: steps[index + 1] };
}
