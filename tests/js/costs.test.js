import assert from "node:assert/strict";
import { test } from "node:test";

import { distinctKinds, lengthsUpTo, partCurve } from "../../static/js/api/costs.js";
import { flopsFigure, trafficFigure } from "../../static/js/figures/costs.js";
import { paletteFor } from "../../static/js/figures/palette.js";

const NAMES = { projections: "projections", products: "products", softmax: "softmax", materialised: "written", fused: "<fused>", run: "run", crossover: "meet" };

/** @param {Record<string, any>} [change] */
function look(change = {}) {
  return { palette: paletteFor(false), surface: "#fff", width: 480, names: NAMES, run: 4, ...change };
}

/** Counts that say their step and length: 10 · N and a digit a step. */
const STEPS = ["q", "k", "v", "scores", "masked_scores", "weights", "heads", "output"];
const lengths = [1, 4, 16];
const flops = Object.fromEntries(STEPS.map((name, index) => [name, lengths.map((N) => 10 * N + index)]));
const curves = { lengths, flops, bytes: flops, traffic: { materialised: [2, 64, 4096], fused: [1, 16, 256] } };
const costs = /** @type {any} */ ({ curves, crossover_length: 8 });

test("lengths are powers of the root of 2, each once, to the longest", () => {
  assert.deepEqual(lengthsUpTo(64), [1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64]);
  assert.equal(lengthsUpTo(1048576).at(-1), 1048576);
});

test("a part is the sum of its steps at each length", () => {
  assert.deepEqual(partCurve(curves, "projections"), lengths.map((N) => 40 * N + 0 + 1 + 2 + 7));
  assert.deepEqual(partCurve(curves, "products"), lengths.map((N) => 20 * N + 3 + 6));
  assert.deepEqual(partCurve(curves, "softmax"), lengths.map((N) => 20 * N + 4 + 5));
});

test("the figure draws the counts as they were served, on logarithmic axes", () => {
  const { data, layout } = flopsFigure(costs, look());
  assert.deepEqual(data.map(({ x }) => x), [lengths, lengths, lengths]);
  assert.deepEqual(data[1].y, partCurve(curves, "products"));
  assert.equal(data[1].text[2], "329 (329)");
  assert.equal(layout.xaxis.type, "log");
  assert.equal(layout.yaxis.type, "log");
});

test("the crossover and this run are marked where they are", () => {
  const { layout } = flopsFigure(costs, look());
  assert.deepEqual(layout.shapes.map(({ x0 }) => x0), [8, 4]);
  assert.deepEqual(layout.annotations.map(({ x }) => x), [Math.log10(8), Math.log10(4)]);
  assert.deepEqual(flopsFigure({ ...costs, crossover_length: 99 }, look({ run: null })).layout.shapes, []);
});

test("heads given directly have no curve of projections", () => {
  const none = { ...flops, q: [0, 0, 0], k: [0, 0, 0], v: [0, 0, 0], output: [0, 0, 0] };
  const { data } = flopsFigure(/** @type {any} */ ({ curves: { ...curves, flops: none }, crossover_length: null }), look());
  assert.deepEqual(data.map(({ name }) => name), ["products", "softmax"]);
});

test("traffic is drawn in bytes, and a name is never markup", () => {
  const { data, layout } = trafficFigure(costs, look());
  assert.deepEqual(data.map(({ y }) => y), [[1, 16, 256], [2, 64, 4096]]);
  assert.equal(data[0].name, "&lt;fused&gt;");
  assert.equal(data[1].text[2], "4 KiB (4,096)");
  assert.deepEqual(layout.yaxis.ticktext, ["1 B", "32 B", "1 KiB"]);
});

test("kinds with as many KV heads as another are not told twice", () => {
  const siblings = (/** @type {number} */ H, /** @type {number} */ K) => /** @type {any} */ ({ mha: { num_kv_heads: H }, gqa: { num_kv_heads: K }, mqa: { num_kv_heads: 1 } });
  assert.deepEqual(distinctKinds(siblings(8, 2)).map(({ kind, K }) => `${kind}${K}`), ["mha8", "gqa2", "mqa1"]);
  assert.deepEqual(distinctKinds(siblings(8, 8)).map(({ kind }) => kind), ["mha", "mqa"]);
  assert.deepEqual(distinctKinds(siblings(8, 1)).map(({ kind }) => kind), ["mha", "mqa"]);
  assert.deepEqual(distinctKinds(siblings(1, 1)).map(({ kind }) => kind), ["mha"]);
});
