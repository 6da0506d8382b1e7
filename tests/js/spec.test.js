import assert from "node:assert/strict";
import { test } from "node:test";

import { defaultDocument } from "../../static/js/state/defaults.js";
import { fromSpec } from "../../static/js/state/from_spec.js";
import { paddingIsOn, switchPadding } from "../../static/js/state/padding.js";
import { toSpec } from "../../static/js/state/to_spec.js";

const x3 = [[1, 0, 2], [0, 1, 0], [1, 1, -1]];
const plain = { num_heads: 1, num_kv_heads: 1, projection: { kind: "random", seed: 0, bias: true } };

/** @type {Record<string, object>} each as the page writes it, so reading and writing must give it back */
const SPECS = {
  "one sequence": { x: x3, ...plain },
  "labels, repeated and default": { x: x3, tokens: ["the", "t1", "the"], ...plain },
  "grouped heads of a stated width": { x: x3, num_heads: 6, num_kv_heads: 3, head_dim: 2, value_dim: 5, projection: { kind: "identity" } },
  "a batch filled up on the right": {
    x: [x3, [[1, 2, 3], [0, 0, 0], [0, 0, 0]]],
    tokens: [["a", "b", "c"], ["d", "[pad]", "[pad]"]],
    ...plain,
    masks: [{ kind: "padding", lengths: [3, 1] }],
  },
  "a batch filled up on the left": {
    x: [[[0, 0, 0], [1, 2, 3], [4, 5, 6]], x3],
    ...plain,
    masks: [{ kind: "causal" }, { kind: "padding", keep: [[false, true, true], [true, true, true]] }],
  },
  "padding over tokens that are not zeros": { x: [x3, x3], ...plain, masks: [{ kind: "padding", lengths: [3, 2] }] },
  "padding in the middle": { x: x3, ...plain, masks: [{ kind: "padding", keep: [[true, false, true]] }] },
  "cross-attention": { x: x3, memory: [[1, 2], [3, 4]], memory_tokens: ["k", "l"], ...plain },
  "heads given directly": { q: [[1, 0], [0, 1]], k: [[1, 0], [0, 1]], v: [[1], [2]], tokens: ["one", "two"] },
  "given heads of a group": { q: [x3, x3], k: [[1, 2, 3]], v: [[7, 8]] },
  "a batch of given heads": { q: [[x3], [x3]], k: [[x3], [x3]], v: [[x3], [x3]] },
  "every mask": {
    x: x3,
    ...plain,
    masks: [
      { kind: "causal", offset: -1 },
      { kind: "window", left: 2, offset: 1 },
      { kind: "prefix", length: 2 },
      { kind: "documents", ids: [0, 0, 1] },
      { kind: "matrix", convention: "allowed", values: [[true, false, true], [true, true, true], [false, true, true]] },
    ],
  },
  "every setting": {
    x: x3,
    num_heads: 3,
    num_kv_heads: 1,
    projection: { kind: "random", seed: 7, bias: false },
    scale: 0.25,
    softcap: 30,
    fill: -1e9,
    mask_order: "after_softmax",
    fully_masked: "uniform",
    rope: { style: "interleaved", base: 500000 },
    qk_norm: { eps: 1e-5 },
    sinks: [0.5, 0, -1],
    dropout: { p: 0.1, seed: 4 },
    dtype: "bfloat16",
    biases: [{ kind: "alibi" }],
  },
  "fields without a control": {
    x: x3,
    num_heads: 1,
    num_kv_heads: 1,
    projection: { kind: "given", w_q: x3, w_k: x3, w_v: x3 },
    rope: { cos: x3, sin: x3, style: "half" },
    biases: [{ kind: "alibi", slopes: [0.5] }, { kind: "matrix", values: x3 }],
    masks: [{ kind: "causal", alignment: "bottom_right" }, { kind: "matrix", convention: "additive", values: [["-Infinity", 0, 0]] }],
    past_k: [[1, 2, 3]],
    past_v: [[1, 2, 3]],
  },
  "input from an upload": { num_heads: 1, num_kv_heads: 1, projection: { kind: "identity" }, x: { upload: "ab", name: "h" } },
  "numbers that are not finite": { x: [["NaN", "Infinity"], [1, "-Infinity"]], ...plain },
  "an unknown field, for the server to refuse": { x: x3, ...plain, num_head: 2 },
};

for (const [name, spec] of Object.entries(SPECS)) {
  test(`a specification comes back as it was: ${name}`, () => {
    assert.deepEqual(toSpec(fromSpec(spec)), spec);
  });

  test(`reading what was written gives the same state: ${name}`, () => {
    const document = fromSpec(spec);
    assert.deepEqual(fromSpec(toSpec(document)), document);
  });
}

test("the first document computes without anything typed", () => {
  assert.deepEqual(toSpec(defaultDocument()), { x: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], ...plain });
});

test("fillings are taken off the shorter sequence and its label is remembered", () => {
  const { input, masks } = fromSpec(SPECS["a batch filled up on the right"]);
  assert.deepEqual(input.sequences.map((sequence) => sequence.tokens.length), [3, 1]);
  assert.equal(input.pad_label, "[pad]");
  assert.equal(masks.padding.mode, "auto");
});

test("turning the padding mask off keeps the filling and drops the mask", () => {
  const document = fromSpec(SPECS["a batch filled up on the right"]);
  document.masks.padding.on = false;
  const spec = toSpec(document);
  assert.equal(spec.masks, undefined);
  assert.deepEqual(spec.x[1], [[1, 2, 3], [0, 0, 0], [0, 0, 0]]);
});

test("the same lists on the other side become a keep list", () => {
  const document = fromSpec(SPECS["a batch filled up on the right"]);
  document.input.pad_side = "left";
  const spec = toSpec(document);
  assert.deepEqual(spec.masks, [{ kind: "padding", keep: [[true, true, true], [false, false, true]] }]);
  assert.deepEqual(spec.tokens[1], ["[pad]", "[pad]", "d"]);
});

test("a cache in front counts as real keys of the padding mask", () => {
  const document = fromSpec({ ...SPECS["padding over tokens that are not zeros"], past_k: [[[[1, 1, 1]]], [[[1, 1, 1]]]] });
  document.masks.padding = { on: true, mode: "lengths", lengths: ["3", "2"], keep: [] };
  assert.deepEqual(toSpec(document).masks, [{ kind: "padding", lengths: [4, 3] }]);
});

test("text in a number's place is passed on for the server to refuse", () => {
  const document = defaultDocument();
  document.input.sequences[0].tokens[0].cells[1] = "abc";
  assert.deepEqual(toSpec(document).x[0], [1, "abc", 0]);
});

test("typed arrays fill the grid with the shortest decimals of their float32 numbers", () => {
  const bdata = Buffer.from(Float32Array.from([0.1, -2.5]).buffer).toString("base64");
  const { input } = fromSpec({ x: { dtype: "f4", bdata, shape: "1,2" } });
  assert.deepEqual(input.sequences[0].tokens[0].cells, ["0.1", "-2.5"]);
});

test("null means left out", () => {
  assert.deepEqual(toSpec(fromSpec({ x: x3, memory: null, rope: null })), { x: x3, ...plain });
});

test("ragged rows stay aside as they came", () => {
  assert.deepEqual(toSpec(fromSpec({ x: [[1], [1, 2]] })).x, [[1], [1, 2]]);
});

test("the padding mask is at work only where something is filled up or somebody said so", () => {
  const even = fromSpec({ x: [[1, 2], [3, 4]] });
  assert.equal(paddingIsOn(even), false);
  const said = switchPadding(even, true);
  assert.equal(paddingIsOn(said), true);
  assert.deepEqual(toSpec(said).masks, [{ kind: "padding", lengths: [2] }]);
  assert.equal(toSpec(switchPadding(said, false)).masks, undefined);
});
