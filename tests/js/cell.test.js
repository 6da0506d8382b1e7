import assert from "node:assert/strict";
import { test } from "node:test";

import { cellFacts, valueAt } from "../../static/js/cell.js";

/** @param {number[]} shape @param {number[]} values */
const tensor = (shape, values) => ({ shape, data: Float32Array.from(values), dtype: "f4" });

const answer = {
  layout: { kind: "mha", num_heads: 1, num_kv_heads: 1, kv_head_of: [0], head_dim: 2, value_dim: 2, cross: false },
  steps: [],
  tensors: {
    dot_products: tensor([1, 1, 1, 2], [1, 2]),
    scores: tensor([1, 1, 1, 2], [0.5, 1]),
    masked_scores: tensor([1, 1, 1, 2], [0.5, -Infinity]),
    weights: tensor([1, 1, 1, 2], [1, 0]),
    allowed: { shape: [1, 1, 1, 2], data: Uint8Array.from([1, 0]), dtype: "u1" },
    blocked_by: { shape: [1, 1, 1, 2], data: Int32Array.from([0, 0b101]), dtype: "i4" },
  },
  warnings: [],
  tokens: { queries: [["one"]], keys: [["one", "two"]] },
  masks: [
    { index: 0, kind: "causal", description: "key <= query" },
    { index: 1, kind: "padding", description: "real tokens" },
    { index: 2, kind: "window", description: "one to the left" },
  ],
};

test("a cell tells its tokens and every number of its way", () => {
  const facts = cellFacts(answer, 0, 0, { query: 0, key: 1 });
  assert.deepEqual(facts.query, { index: 0, label: "one" });
  assert.deepEqual(facts.key, { index: 1, label: "two" });
  assert.deepEqual([facts.dot, facts.score, facts.maskedScore, facts.weight], ["2", "1", "−∞", "0"]);
});

test("a masked cell names exactly the masks whose bits are set", () => {
  assert.deepEqual(cellFacts(answer, 0, 0, { query: 0, key: 1 }).reasons.map(({ kind }) => kind), ["causal", "window"]);
  assert.deepEqual(cellFacts(answer, 0, 0, { query: 0, key: 0 }).reasons, []);
});

test("an axis of length 1 stands for every index", () => {
  assert.equal(valueAt(tensor([2, 1, 1, 3], [0, 1, 2, 3, 4, 5]), [1, 7, 0, 2]), 5);
});
