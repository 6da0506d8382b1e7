import assert from "node:assert/strict";
import { test } from "node:test";

import { comparedRows, differencePicture, sidePicture } from "../../static/js/figures/compare.js";
import { paletteFor } from "../../static/js/figures/palette.js";
import { HiddenFault, comparisonBody, nothingToCompare, stageOfBoth } from "../../static/js/state/comparison.js";
import { defaultCompare } from "../../static/js/state/defaults.js";
import { fromSpec } from "../../static/js/state/from_spec.js";

const x = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 1, 2, 3]];
const causal = { kind: "causal" };

/** @param {Record<string, any>} spec @param {import("../../static/js/state/types.js").Compare["mode"]} mode */
const nothing = (spec, mode) => nothingToCompare(fromSpec(spec), mode);

test("without a mask there is none to take off or to apply late", () => {
  assert.equal(nothing({ x }, "mask_off"), "noMask");
  assert.equal(nothing({ x }, "mask_after_softmax"), "noMask");
  assert.equal(nothing({ x, masks: [causal] }, "mask_off"), null);
  assert.equal(nothing({ x, masks: [causal] }, "mask_after_softmax"), null);
  assert.equal(nothing({ x, masks: [causal], mask_order: "after_softmax" }, "mask_after_softmax"), "alreadyAfter");
});

test("a mask that the page has no control for is one too", () => {
  assert.equal(nothing({ x, masks: [{ kind: "matrix", convention: "additive", values: [[0, 0, 1]] }] }, "mask_off"), null);
});

test("a scale of 1 cannot be switched off, whether it was set or follows from a width of 1", () => {
  assert.equal(nothing({ x, scale: 1 }, "scale_off"), "scaleIsOne");
  assert.equal(nothing({ x, num_heads: 4 }, "scale_off"), "scaleIsOne");
  assert.equal(nothing({ x, num_heads: 2 }, "scale_off"), null);
  assert.equal(nothing({ x, scale: 0.5 }, "scale_off"), null);
  assert.equal(nothing({ q: [[1], [2]], k: [[1], [2]], v: [[1], [2]] }, "scale_off"), "scaleIsOne");
});

test("the corners are one where there are as many queries as keys", () => {
  assert.equal(nothing({ x }, "other_alignment"), "noCausal");
  assert.equal(nothing({ x, masks: [causal] }, "other_alignment"), "sameCorner");
  assert.equal(nothing({ x, masks: [{ ...causal, offset: 1 }] }, "other_alignment"), "noCausal");
  assert.equal(nothing({ x, memory: x.slice(0, 2), masks: [causal] }, "other_alignment"), null);
});

test("one KV head cannot be merged", () => {
  assert.equal(nothing({ x, num_heads: 4, num_kv_heads: 1 }, "kv_heads"), "fewHeads");
  assert.equal(nothing({ x, num_heads: 4, num_kv_heads: 2 }, "kv_heads"), null);
});

test("a kept run with a key twice is not compared", () => {
  const compare = { ...defaultCompare(), mode: /** @type {const} */ ("own_b"), text: '{"x": [[1]], "x": [[2]]}' };
  assert.throws(() => comparisonBody(fromSpec({ x }), compare), HiddenFault);
});

test("dropped weights are asked for where both runs have dropout", () => {
  const dropout = { p: 0.5 };
  assert.equal(stageOfBoth({ a: { dropout }, variant: "mask_off" }, "dropped_weights"), "dropped_weights");
  assert.equal(stageOfBoth({ a: { dropout }, b: {} }, "dropped_weights"), "weights");
  assert.equal(stageOfBoth({ a: {}, b: {} }, "scores"), "scores");
});

test("masks are shown by what they leave visible, and apart by which run sees a cell", () => {
  const tensor = (/** @type {number[]} */ data, heads = 1) => ({ shape: [1, heads, 2, 2], data: Int8Array.from(data), dtype: "i1" });
  const run = (/** @type {number[]} */ allowed) => ({ tensors: { allowed: tensor(allowed) }, layout: { num_heads: 1 }, masks: [] });
  const [a, b] = [run([1, 0, 1, 1]), run([1, 1, 1, 0])];
  const comparison = /** @type {any} */ ({ stage: "allowed", a, b, stages: { allowed: { difference: tensor([0, -1, 0, 1]) } } });
  const palette = paletteFor(false, "lake");
  const words = { visible: "visible", masked: "masked", onlyA: "A", both: "both", onlyB: "B" };
  const look = { palette, showMasked: false, weightScale: /** @type {const} */ ("fixed"), dark: false };
  assert.deepEqual(comparedRows(/** @type {any} */ (a), "allowed", 0, 0).map((row) => [...row]), [[1, 0], [1, 1]]);
  assert.deepEqual(sidePicture(comparison, "b", "allowed", 0, 0, look, words).z.map((row) => [...(/** @type {number[]} */ (row))]), [[1, 1], [1, 0]]);
  const apart = differencePicture(comparison, "allowed", 0, 0, look, words);
  assert.deepEqual(apart?.z.map((row) => [...(/** @type {number[]} */ (row))]), [[0, -1], [0, 1]]);
  assert.deepEqual(apart?.scale.bar.ticktext, ["B", "both", "A"]);
});
