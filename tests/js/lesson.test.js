import assert from "node:assert/strict";
import { test } from "node:test";

import { asHeads, asymmetry, blindQueries, blockedCells, columnSums, joined, largestDifference, sumOf, swapped, tokensChanged, varianceOf } from "../../static/js/api/lesson.js";
import { curvesFigure } from "../../static/js/figures/curves.js";
import { paletteFor } from "../../static/js/figures/palette.js";
import { defaultView } from "../../static/js/state/defaults.js";
import { fromSpec } from "../../static/js/state/from_spec.js";
import { defaults, fromLines, toLines } from "../../static/js/state/kept.js";
import { AS_GIVEN, CHANGED, placeIn, stateOfStep, variantOnShow } from "../../static/js/state/lesson.js";
import { toSpec } from "../../static/js/state/to_spec.js";

const SPEC = { q: [[1, 0], [0, 1], [1, 1]], k: [[1, 0], [0, 1], [1, 1]], v: [[1, 0], [0, 2], [1, 1]], tokens: ["a", "b", "c"] };
const CAUSAL = { ...SPEC, masks: [{ kind: "causal" }] };
const STEP = { name: "one", spec: SPEC, view: { batch: 0, head: 0, stage: "scores", cell: { query: 2, key: 1 } }, tries: [{ name: "causal", spec: CAUSAL }, { name: "unscaled", spec: { ...SPEC, scale: 1 } }] };
const OTHER = { ...STEP, name: "two", view: { batch: 0, head: 0, stage: "weights", cell: null } };

/** @param {number[][][]} heads [H][T][D] */
function tensor(heads) {
  return { shape: [1, heads.length, heads[0].length, heads[0][0].length], data: Float64Array.from(heads.flat(2)), dtype: "f8" };
}

test("a step sets the specification, the look and the pinned cell, and leaves theme and language", () => {
  const view = { ...defaultView(), theme: /** @type {const} */ ("dark"), language: /** @type {const} */ ("zh"), example: "mqa", tab: "costs" };
  const state = stateOfStep(STEP, view);
  assert.deepEqual(toSpec(state.document), SPEC);
  assert.deepEqual([state.view.stage, state.view.tab, state.view.example], ["scores", "lesson", ""]);
  assert.deepEqual([state.view.theme, state.view.language], ["dark", "zh"]);
  assert.deepEqual([state.cursor, state.pinned], [{ query: 2, key: 1 }, true]);
  assert.equal(stateOfStep(OTHER, view).pinned, false);
});

test("the state on show is told by its numbers, whatever way led to it", () => {
  assert.equal(variantOnShow(STEP, fromSpec(SPEC)), AS_GIVEN);
  assert.equal(variantOnShow(STEP, fromSpec(CAUSAL)), "causal");
  assert.equal(variantOnShow(STEP, fromSpec({ masks: [{ kind: "causal" }], ...SPEC })), "causal");
  assert.equal(variantOnShow(STEP, fromSpec({ ...SPEC, scale: 2 })), CHANGED);
});

test("each step knows the one before and the one after", () => {
  assert.deepEqual(placeIn([STEP, OTHER], "one"), { index: 0, step: STEP, previous: undefined, next: OTHER });
  assert.deepEqual(placeIn([STEP, OTHER], "two"), { index: 1, step: OTHER, previous: STEP, next: undefined });
  assert.deepEqual(placeIn([STEP, OTHER], ""), { index: -1, step: undefined, previous: undefined, next: STEP });
});

test("the link keeps the step beside the state", () => {
  const kept = { ...defaults(), tools: { ...defaults().tools, lesson: { step: "scale" } } };
  assert.equal(fromLines(toLines(kept)).kept.tools.lesson.step, "scale");
  assert.deepEqual(fromLines('["tools.lesson.step",7]').unread, ["tools.lesson.step"]);
});

test("heads stand in for what they were projected from, and the rest of the run stays", () => {
  const spec = { x: [[1]], num_heads: 2, projection: { kind: "random" }, rope: { style: "half" }, qk_norm: {}, softcap: 3, masks: [{ kind: "causal" }], tokens: ["a"] };
  const heads = { q: tensor([[[1], [2]]]), k: tensor([[[3], [4]]]), v: tensor([[[5], [6]]]) };
  assert.deepEqual(asHeads(spec, heads), { softcap: 3, masks: [{ kind: "causal" }], q: [[[[1], [2]]]], k: [[[[3], [4]]]], v: [[[[5], [6]]]] });
});

test("tokens change places within each head", () => {
  assert.deepEqual(tokensChanged([[[[1], [2], [3]], [[4], [5], [6]]]], swapped), [[[[2], [1], [3]], [[5], [4], [6]]]]);
  assert.deepEqual(swapped([7]), [7]);
});

test("sums, the variance and the mirror image are those of the numbers", () => {
  assert.equal(sumOf(Float32Array.of(1, 2, 4)), 7);
  assert.deepEqual(columnSums([[1, 2, 3], [10, 20, 30]]), [11, 22, 33]);
  assert.equal(varianceOf([2, 4, 4, 4, 5, 5, 7, 9, Infinity]), 32 / 7);
  assert.equal(asymmetry([[1, 2, 3], [2, 5, 6], [3, 6.5, 9]]), 0.5);
  assert.equal(asymmetry([[1, 2, 3], [4, 5, 6]]), null);
  assert.equal(largestDifference([[1, 2], [3, 4]], [[1, 2.5], [1, 4]]), 2);
});

test("cells are counted by the masks that hide them", () => {
  const counts = blockedCells([[0, 1, 2], [3, 3, 0], [4, 5, 0]], 3);
  assert.deepEqual(counts, { visible: 3, several: 3, each: [{ all: 4, alone: 1 }, { all: 3, alone: 1 }, { all: 2, alone: 1 }] });
});

test("a query is blind where every key is hidden", () => {
  assert.deepEqual(blindQueries([[0, 0], [1, 0], [0, 0]]), [0, 2]);
});

test("heads side by side are the rows they were cut from", () => {
  assert.deepEqual(joined(tensor([[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]), 0), [[1, 2, 5, 6, 9, 10], [3, 4, 7, 8, 11, 12]]);
});

test("curves are drawn through the measured numbers, a formula as a dotted line", () => {
  const palette = paletteFor(false);
  const curves = [{ name: "a<b", x: [4, 8], y: [3.9, 8.2], colour: 1 }, { name: "D", x: [4, 8], y: [4, 8], colour: 2, formula: true }];
  const { data, layout } = curvesFigure({ curves, title: "D", ticks: [4, 8], powers: 1, palette, width: 480 });
  assert.deepEqual(data.map(({ y }) => y), [[3.9, 8.2], [4, 8]]);
  assert.deepEqual(data.map(({ mode }) => mode), ["lines+markers", "lines"]);
  assert.equal(data[0].name, "a&lt;b");
  assert.deepEqual([layout.xaxis.type, layout.yaxis.type, layout.xaxis.ticktext], ["log", "log", ["4", "8"]]);
  assert.equal(data[0].line.color, palette.groups[1]);
});
