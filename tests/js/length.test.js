import assert from "node:assert/strict";
import { test } from "node:test";

import { rowMeans } from "../../static/js/api/rows.js";
import { cellAt, isSmall, pictureOf, picturesOf, rangeOf } from "../../static/js/api/view.js";
import { evenStep, lengthTicks } from "../../static/js/figures/length_axes.js";
import { coarser, floorOf, hatchPixels, lengthPicture, picturePixels } from "../../static/js/figures/length_picture.js";
import { lengthStage, movedWindow, spanOf, stageHead } from "../../static/js/figures/length_span.js";
import { MASKED } from "../../static/js/figures/marks.js";
import { paletteFor } from "../../static/js/figures/palette.js";
import { profileFigure } from "../../static/js/figures/profile.js";
import { defaultDocument } from "../../static/js/state/defaults.js";
import { withGenerated, wrongIn } from "../../static/js/state/generator.js";
import { aligned, inside, isAtLength, keptWindow, panned, zoomed } from "../../static/js/state/length.js";
import { defaults, fromLines, toLines } from "../../static/js/state/kept.js";
import { toSpec } from "../../static/js/state/to_spec.js";

const palette = paletteFor(false);
const look = { palette, scale: /** @type {const} */ ("log"), reach: 1, keys: 1000 };

/** @param {number[]} values @param {string} shape */
const typed = (values, shape) => ({ dtype: "f4", bdata: Buffer.from(Float32Array.from(values).buffer).toString("base64"), shape });

/** @param {number[]} shape of random heads */
const heads = (shape) => ({ ...defaultDocument(), input: { ...defaultDocument().input, kind: /** @type {const} */ ("heads") }, also: { q: { random: { shape } }, k: { random: { shape } }, v: { random: { shape } } } });

/** @type {import("../../static/js/api/answer.js").Plan} */
const plan = {
  layout: { kind: "gqa", num_heads: 4, num_kv_heads: 2, kv_head_of: [0, 0, 1, 1], head_dim: 5, value_dim: 7, cross: true },
  steps: Object.entries({ q: [1, 4, 1009, 5], k: [1, 2, 2003, 5], scores: [1, 4, 1009, 2003], weights: [1, 4, 1009, 2003], logsumexp: [1, 4, 1009], output: [1, 1009, 28] }).map(([name, shape]) => ({ name, formula: "", axes: [], shape, min: null, max: null })),
  tokens: { queries: [[]], keys: [[]] },
  masks: [],
  warnings: [],
};

/** Two strips of a 3 × 4 picture of 5 × 8 pairs. */
async function* events() {
  yield { event: "start", data: { row_edges: [10, 12, 14, 15], col_edges: [0, 2, 4, 6, 8], reduced: { rows: 2, cols: 2, how: "max" }, rows_total: 20, cols_total: 8 } };
  yield { event: "strip", data: { rows: [0, 2], z: typed([1, 2, 3, 4, 5, 6, 7, 8], "2,4"), masked: typed([0, 0, 0.5, 1, 0, 0, 0, 0.25], "2,4") } };
  yield { event: "progress", data: { done: 1, of: 2 } };
  yield { event: "strip", data: { rows: [2, 3], z: typed([9, -Infinity, NaN, Infinity], "1,4"), masked: typed([0, 1, 0, 0], "1,4") } };
  yield { event: "progress", data: { done: 2, of: 2 } };
  yield { event: "done", data: {} };
}

async function pictures() {
  const found = [];
  for await (const picture of picturesOf(events())) found.push(picture);
  return found;
}

test("a small window comes whole, and is the picture that its strips would have filled", async () => {
  assert.equal(isSmall({ rows: [100, 1124], cols: [0, 1024] }), true);
  assert.equal(isSmall({ rows: [100, 1125], cols: [0, 1024] }), false);
  const answer = {
    row_edges: [10, 12, 14, 15], col_edges: [0, 2, 4, 6, 8], reduced: { rows: 2, cols: 2, how: "max" },
    z: typed([1, 2, 3, 4, 5, 6, 7, 8, 9, -Infinity, NaN, Infinity], "3,4"),
    masked: typed([0, 0, 0.5, 1, 0, 0, 0, 0.25, 0, 1, 0, 0], "3,4"),
  };
  const { done, of, ...whole } = pictureOf(answer);
  assert.equal(done, of);
  const { done: _, of: __, ...filled } = (await pictures()).at(-1) ?? {};
  assert.deepEqual(whole, filled);
});

test("up to 512 tokens are shown whole, beyond them or the server's cells a window at a time", () => {
  assert.equal(isAtLength(heads([512, 3]), false, 2 ** 23), false);
  assert.equal(isAtLength(heads([513, 3]), false, 2 ** 23), true);
  assert.equal(isAtLength(heads([513, 3]), true, 2 ** 23), false);
  assert.equal(isAtLength(heads([7, 513, 3]), true, 2 ** 20), true);
  assert.equal(isAtLength(heads([64, 400, 3]), false, 2 ** 23), true);
});

test("a window stays within what there is, whole tokens and no fewer than eight", () => {
  assert.deepEqual(inside([-50.2, 49.8], 1000), [0, 100]);
  assert.deepEqual(inside([960, 1060], 1000), [900, 1000]);
  assert.deepEqual(inside([500, 501], 1000), [497, 505]);
  assert.deepEqual(inside([1, 2], 5), [0, 5]);
  assert.equal(keptWindow({ rows: [-3, 1009], cols: [0, 2100] }, { T: 1009, S: 2003 }), null);
});

test("zooming keeps a place where it is, and moving keeps the size", () => {
  const window = { rows: /** @type {[number, number]} */ ([200, 600]), cols: /** @type {[number, number]} */ ([0, 800]) };
  const lengths = { T: 1009, S: 2003 };
  assert.deepEqual(zoomed(window, 0.5, { row: 300, col: 400 }, lengths), { rows: [250, 450], cols: [200, 600] });
  assert.deepEqual(panned(window, 100, -50, lengths), { rows: [300, 700], cols: [0, 800] });
  assert.equal(zoomed(window, 100, { row: 300, col: 400 }, lengths), null);
});

test("cells begin at multiples of their width, a power of two, and are at most 512", () => {
  assert.deepEqual(aligned([0, 65536], 65536), { range: [0, 65536], cells: 512 });
  assert.deepEqual(aligned([0, 1031], 1031), { range: [0, 1031], cells: 258 });
  assert.deepEqual(aligned([301, 1400], 2003), { range: [300, 1400], cells: 275 });
  assert.deepEqual(aligned([77, 90], 100), { range: [77, 90], cells: 13 });
});

test("strips are put where they belong, and what has not come is NaN", async () => {
  const [begun, first, , , , done] = await pictures();
  assert.equal(begun.came, 0);
  assert.equal(first.came, 2);
  assert.deepEqual([done.came, done.done, done.of, done.finished], [3, 2, 2, true]);
  assert.deepEqual(done.z.map((row) => [...row]), [[1, 2, 3, 4], [5, 6, 7, 8], [9, -Infinity, NaN, Infinity]]);
  assert.deepEqual(rangeOf(done), { min: 1, max: 9 });
});

test("a place is in the cell whose edges hold it, the last one maybe shorter", () => {
  const edges = [10, 12, 14, 15];
  assert.deepEqual([9, 10, 11, 12, 14, 15].map((place) => cellAt(edges, place)), [-1, 0, 0, 1, 2, -1]);
});

test("what is masked is marked, what is not finite too, and rows that have not come stay clear", async () => {
  const found = await pictures();
  const picture = lengthPicture(found[5], "scores", look);
  assert.deepEqual(picture.marks.map((row) => [...row]), [[NaN, NaN, NaN, MASKED], [NaN, NaN, NaN, NaN], [NaN, MASKED, 4, 3]]);
  const pixels = picturePixels(lengthPicture(found[1], "scores", look), 2, palette);
  assert.deepEqual([pixels[3], pixels[4 * 8 - 1], pixels[4 * 8 + 3]], [255, 255, 0]);
  assert.deepEqual([...pixels.slice(12, 15)], [0xe3, 0xe4, 0xe7]);
});

test("hatching is as strong as the share that is masked", async () => {
  const found = await pictures();
  const pixels = /** @type {Uint8ClampedArray} */ (hatchPixels(found[5]));
  const alpha = (/** @type {number} */ cell) => pixels[4 * cell + 3];
  assert.equal(alpha(0), 0);
  assert.ok(alpha(2) > alpha(7) && alpha(3) > alpha(2));
  assert.equal(hatchPixels({ ...found[5], masked: found[5].masked.map((row) => row.map(() => 0)) }), null);
});

test("weights on the logarithmic scale begin below an even share of the keys", async () => {
  assert.deepEqual([10, 1000, 65536].map(floorOf), [-3, -5, -7]);
  const found = await pictures();
  const { z, scale } = lengthPicture(found[5], "weights", { ...look, keys: 65536 });
  assert.deepEqual([scale.zmin, scale.zmax], [-7, 0]);
  assert.equal(z[0][0], 0);
});

test("the map keeps the largest of the largest, and the mean of means that are numbers", async () => {
  const found = (await pictures())[5];
  const half = coarser({ ...found, z: found.z.map((row) => row.map((value) => (Number.isFinite(value) ? value : -Infinity))) }, 2);
  assert.deepEqual([half.rowEdges, half.colEdges], [[10, 14, 15], [0, 4, 8]]);
  assert.deepEqual(half.z.map((row) => [...row]), [[6, 8], [9, -Infinity]]);
  const mean = coarser({ ...found, reduced: { rows: 2, cols: 2, how: "mean" }, z: half === found ? [] : [Float32Array.of(1, 2, -Infinity, 4), Float32Array.of(3, 4, -Infinity, -Infinity), Float32Array.of(5, 7, -Infinity, -Infinity)] }, 2);
  assert.deepEqual(mean.z.map((row) => [...row]), [[2.5, 4], [6, -Infinity]]);
  assert.deepEqual([...mean.masked[0]], [0, Math.fround(1.75 / 4)]);
});

test("axes are queries and keys, or one of them and dimensions; k and v lie along the keys", () => {
  const window = { rows: /** @type {[number, number]} */ ([100, 200]), cols: /** @type {[number, number]} */ ([300, 700]) };
  assert.deepEqual(spanOf(plan, "scores", window), { ...window, totals: { rows: 1009, cols: 2003 }, sides: { rows: "rows", cols: "cols" } });
  const keys = spanOf(plan, "k", window);
  assert.deepEqual([keys.rows, keys.cols, keys.totals, keys.sides], [[300, 700], [0, 5], { rows: 2003, cols: 5 }, { rows: "cols", cols: null }]);
  assert.deepEqual(spanOf(plan, "output", null).cols, [0, 28]);
  assert.deepEqual(spanOf(plan, "logsumexp", null).cols, [0, 1]);
  assert.deepEqual(movedWindow(window, keys, { rows: [310, 710], cols: [0, 5] }), { rows: [100, 200], cols: [310, 710] });
  assert.deepEqual([stageHead(plan, "k", 3), stageHead(plan, "q", 3), stageHead(plan, "output", 3)], [1, 3, 0]);
  assert.equal(lengthStage(plan, "dropped_weights"), "weights");
});

test("labels thin out to numbers at even distances, and come back where each has room", () => {
  const label = (/** @type {number} */ token) => `<${token}>`;
  const far = lengthTicks([0, 65536], 640, label, "across");
  assert.deepEqual(far.tickvals.slice(0, 3), [0, 10000, 20000]);
  assert.deepEqual(far.ticktext.slice(0, 2), ["0", "10,000"]);
  const near = lengthTicks([40, 48], 640, label, "across");
  assert.deepEqual([near.tickvals[0], near.tickvals.at(-1), near.ticktext[0]], [40, 47, "&lt;40&gt;"]);
  assert.deepEqual([1, 3, 7, 12, 4000].map(evenStep), [1, 5, 10, 20, 5000]);
});

test("a row's profile has a step for each run of keys and a line at the cell", () => {
  const found = { rowEdges: [5, 6], colEdges: [0, 3, 6, 7], reduced: { rows: 1, cols: 3, how: /** @type {const} */ ("max") }, z: [Float32Array.of(0.5, 0.25, 0.125)], masked: [Float32Array.of(0, 0, 0)], came: 1, done: 1, of: 1, finished: true, single: true };
  const { data, layout } = profileFigure({ found, key: 4, width: 300, title: "key", palette });
  assert.deepEqual(data[0].x, [-0.5, 2.5, 2.5, 5.5, 5.5, 6.5]);
  assert.deepEqual(data[0].y, [0.5, 0.5, 0.25, 0.25, 0.125, 0.125]);
  assert.deepEqual([layout.shapes[0].x0, layout.xaxis.range], [4, [-0.5, 6.5]]);
});

test("a link keeps the window, and one that is no window is left out by name", () => {
  const kept = defaults();
  const window = { rows: /** @type {[number, number]} */ ([3, 77]), cols: /** @type {[number, number]} */ ([11, 90]) };
  const lines = toLines({ ...kept, view: { ...kept.view, window, reduce: "mean", lengthScale: "row" } });
  const { view } = fromLines(lines).kept;
  assert.deepEqual([view.window, view.reduce, view.lengthScale], [window, "mean", "row"]);
  const wrong = fromLines('["view.window",{"rows":[5,5],"cols":[0,9]}]');
  assert.deepEqual([wrong.kept.view.window, wrong.unread], [null, ["view.window"]]);
});

test("the generator gives token vectors whose width the heads divide, or q and k of one seed and v of the next", () => {
  const wish = { tokens: "4099", width: "10", heads: "3", kind: /** @type {const} */ ("waves"), seed: "7", into: /** @type {const} */ ("x") };
  const four = { ...defaultDocument(), heads: { num_heads: "4", num_kv_heads: "4", head_dim: "", value_dim: "" } };
  const vectors = toSpec(withGenerated(four, wish));
  assert.deepEqual(vectors.x, { random: { shape: [4099, 10], seed: 7, kind: "waves" } });
  assert.equal(vectors.num_heads, 2);
  const given = toSpec(withGenerated(four, { ...wish, into: "heads" }));
  assert.deepEqual(given.q, { random: { shape: [3, 4099, 10], seed: 7, kind: "waves" } });
  assert.deepEqual(given.k, given.q);
  assert.deepEqual(given.v, { random: { shape: [3, 4099, 10], seed: 8 } });
  assert.equal("x" in given, false);
});

test("a wish that is no whole number within its bounds is named", () => {
  const wish = { tokens: "4099", width: "10", heads: "0", kind: /** @type {const} */ ("normal"), seed: "7", into: /** @type {const} */ ("x") };
  assert.equal(wrongIn(wish), null);
  assert.equal(wrongIn({ ...wish, into: "heads" }), "heads");
  assert.equal(wrongIn({ ...wish, tokens: "131073" }), "tokens");
  assert.equal(wrongIn({ ...wish, seed: "-1" }), "seed");
  assert.equal(wrongIn({ ...wish, width: "1.5" }), "width");
});

test("means of rows are told by head, with the width of their numbers", () => {
  const f4 = (/** @type {number[]} */ numbers) => ({ dtype: "f4", shape: String(numbers.length), bdata: Buffer.from(new Float32Array(numbers).buffer).toString("base64") });
  const found = rowMeans({ heads: [3, 5], means: { entropy: f4([0.5, 1.25]), largest_weight: f4([1, NaN]) } });
  assert.deepEqual(found[0], { head: 3, means: { entropy: { value: 0.5, single: true }, largest_weight: { value: 1, single: true } } });
  assert.deepEqual(found[1].means.largest_weight, { value: NaN, single: true });
});
