import assert from "node:assert/strict";
import { test } from "node:test";

import { arithmetic, readInspection, textOfInspection } from "../../static/js/api/inspection.js";
import { contributionsFigure } from "../../static/js/figures/contributions.js";
import { texOf } from "../../static/js/figures/formula.js";
import { paletteFor } from "../../static/js/figures/palette.js";

/** @param {number[]} values @param {string} [shape] */
const typed = (values, shape = String(values.length)) => ({ dtype: "f4", bdata: Buffer.from(Float32Array.from(values).buffer).toString("base64"), shape });

const body = {
  at: { batch: 0, head: 1, query: 2, key: 1 },
  keys: [0, 3],
  labels: { query: "NaN", key: "Infinity" },
  q: typed([1, 2]), k: typed([3, 4]), products: typed([3, 8]),
  dot_product: 11, scale: 0.5, scaled: 5.5, capped: null, biases: [-1, 0.25], score: 4.75,
  masks: [
    { index: 0, kind: "causal", description: "key <= query", visible: false, added: null },
    { index: 1, kind: "matrix", description: "added", visible: true, added: 2 },
  ],
  fill: "-Infinity", masked_score: "-Infinity", masked_scores: typed([1, -Infinity, NaN]), maximum: 1, sink: 0.5,
  exponentials: typed([1, 0, NaN]), denominator: 2, logsumexp: "NaN", weight: 0, weights: typed([0.5, 0, NaN]), dropped_weights: typed([1, 0, 0]),
  contributions: typed([1, 2, 3, 4, 5, 6], "3,2"), total: typed([9, 12]),
};

test("the served numbers are read as they are, infinities and NaN by name, labels left alone", () => {
  const found = readInspection(body);
  assert.deepEqual([...found.products], [3, 8]);
  assert.equal(found.masked_score, -Infinity);
  assert.ok(Number.isNaN(found.logsumexp));
  assert.deepEqual(found.labels, { query: "NaN", key: "Infinity" });
  assert.deepEqual(found.contributions.map((row) => [...row]), [[1, 2], [3, 4], [5, 6]]);
  assert.equal(found.single, true);
});

test("the arithmetic goes from the dot product to the weight, with the steps of this run only", () => {
  const names = arithmetic(readInspection(body)).map(({ name }) => name);
  assert.deepEqual(names, ["dot", "scale", "bias", "bias", "score", "added", "masked", "maximum", "exponential", "sink", "denominator", "weight", "dropped"]);
  const plain = arithmetic(readInspection({ ...body, biases: [], masks: [], sink: null, dropped_weights: null, capped: 5.4 }));
  assert.deepEqual(plain.map(({ name }) => name), ["dot", "scale", "softcap", "score", "masked", "maximum", "exponential", "denominator", "weight"]);
  assert.deepEqual(plain.map(({ by, result }) => result ?? by), [11, 5.5, 5.4, 4.75, -Infinity, 1, 0, 2, 0]);
});

test("where only some keys of a row are told, the cell is found among them", () => {
  const part = readInspection({ ...body, at: { batch: 0, head: 1, query: 2, key: 41 }, keys: [40, 43], sink: null, masks: [], biases: [] });
  const results = Object.fromEntries(arithmetic(part).map(({ name, result }) => [name, result]));
  assert.deepEqual([results.exponential, results.dropped], [0, 0]);
  const next = readInspection({ ...part, ...body, at: { batch: 0, head: 1, query: 2, key: 40 }, keys: [40, 43] });
  assert.equal(arithmetic(next).find(({ name }) => name === "exponential")?.result, 1);
});

test("the copied text is JSON that holds every number, not finite ones by name", () => {
  const copied = JSON.parse(textOfInspection(readInspection(body)));
  assert.deepEqual(copied.contributions, [[1, 2], [3, 4], [5, 6]]);
  assert.equal(copied.masked_score, "-Infinity");
  assert.equal(copied.scale, 0.5);
});

test("the stack shows what each key adds, a gap, and the total, all on one scale", () => {
  const { contributions, total } = readInspection(body);
  const figure = contributionsFigure({ contributions, total, keys: ["a", "b", "c"], sum: "z", width: 300, tallest: 200, palette: paletteFor(false), titles: { row: "", column: "" } });
  const [{ z, zmin, zmax }] = /** @type {any[]} */ (figure.data);
  assert.deepEqual(z.map((/** @type {any} */ row) => [...row]), [[1, 2], [3, 4], [5, 6], [NaN, NaN], [9, 12]]);
  assert.deepEqual([zmin, zmax], [-12, 12]);
  assert.deepEqual(figure.layout.yaxis.ticktext, ["a", "b", "c", "", "z"]);
});

test("a formula in type says what the server's says: scale, softcap, biases, cache, norm, rotation, fill, sink", () => {
  assert.equal(texOf("scores", "q k^T / sqrt(64)"), "q\\,k^{\\top}/\\sqrt{64}");
  assert.match(texOf("scores", "50 tanh(q k^T * 0.25 / 50) + bias"), /^50\\,\\tanh.*q\\,k\^\{\\top\}\\cdot 0\.25.*\/\\,50.*bias/);
  assert.match(texOf("k", "concat(past_k, RoPE(RMSNorm(X W_k + b_k)))"), /concat.*past.*RoPE.*RMSNorm.*W_\{k\}.*b_\{k\}/);
  assert.match(texOf("masked_scores", "scores where allowed, else -inf"), /else \}-\\infty/);
  assert.match(texOf("masked_scores", "scores + mask where allowed, else -1e+09"), /mask.*-1\\times 10\^\{9\}/);
  assert.match(texOf("logsumexp", "log(sum over keys of exp(masked_scores) + exp(sink))"), /sum.*e\^\{\\mathrm\{masked\}\}.*sink/);
  assert.match(texOf("weights", "softmax over keys(masked_scores) * allowed"), /softmax.*\\odot.*allowed/);
  assert.match(texOf("output", "concat(heads) W_o + b_o"), /concat.*W_\{o\}.*b_\{o\}/);
});
