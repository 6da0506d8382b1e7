import assert from "node:assert/strict";
import { test } from "node:test";

import { cursorPath, headsFigure } from "../../static/js/figures/heads.js";
import { painter } from "../../static/js/figures/cells.js";
import { inkOn } from "../../static/js/figures/ink.js";
import { headOrder } from "../../static/js/figures/head_order.js";
import { labelWidth, shortened, ticks } from "../../static/js/figures/labels.js";
import { ABOVE, BELOW, MASKED, MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY, coverOf, hatchPath, marksOf } from "../../static/js/figures/marks.js";
import { matrixFigure } from "../../static/js/figures/matrix.js";
import { cellAt, edgesOf, mosaicOf, tileAt } from "../../static/js/figures/mosaic.js";
import { groupColour, paletteFor } from "../../static/js/figures/palette.js";
import { PALETTES } from "../../static/js/state/palettes.js";
import { pictureOf, stageScale } from "../../static/js/figures/picture.js";
import { categories, rangeOf, reachOf, scaleOf } from "../../static/js/figures/scales.js";
import { cursorAt, placeOf, stageRows, tileHeads } from "../../static/js/figures/stages.js";
import { STAGES } from "../../static/js/state/stages.js";

const palette = paletteFor(false);

/**
 * An answer whose every number says where it stands: batch, head, query, key as decimal digits.
 * @param {number} H
 * @param {number} K
 * @param {number} T
 * @param {number} S
 */
function answerOf(H, K, T, S) {
  const count = 2 * H * T * S;
  const data = Float32Array.from({ length: count }, (_, index) => {
    const [b, h, t, s] = [Math.floor(index / (H * T * S)), Math.floor(index / (T * S)) % H, Math.floor(index / S) % T, index % S];
    return b * 1000 + h * 100 + t * 10 + s;
  });
  const tensor = { shape: [2, H, T, S], data, dtype: "f4" };
  const allowed = { shape: [2, 1, T, S], data: Uint8Array.from({ length: 2 * T * S }, (_, i) => (i % S <= Math.floor(i / S) % T ? 1 : 0)), dtype: "u1" };
  const layout = { kind: "gqa", num_heads: H, num_kv_heads: K, kv_head_of: Array.from({ length: H }, (_, h) => Math.floor(h / (H / K))), head_dim: 2, value_dim: 2, cross: false };
  return { layout, steps: [], tensors: { weights: tensor, scores: tensor, allowed }, warnings: [], tokens: { queries: [], keys: [] }, masks: [] };
}

const look = { palette, showMasked: false, weightScale: /** @type {"fixed"} */ ("fixed") };

/**
 * A 2 × 2 answer of one head.
 * @param {number[]} values
 */
function small(values = [1, 0, 0.25, 0.75]) {
  const tensor = { shape: [1, 1, 2, 2], data: Float32Array.from(values), dtype: "f4" };
  const allowed = { shape: [1, 1, 2, 2], data: Uint8Array.from([1, 0, 1, 1]), dtype: "u1" };
  const layout = { kind: "mha", num_heads: 1, num_kv_heads: 1, kv_head_of: [0], head_dim: 2, value_dim: 2, cross: false };
  return { layout, steps: [], tensors: { weights: tensor, scores: tensor, dropped_weights: tensor, allowed }, warnings: [], tokens: { queries: [["the", "the"]], keys: [["the", "the"]] }, masks: [] };
}

/** @param {{stage?: string, values?: number[], width?: number, look?: import("../../static/js/figures/picture.js").Look}} [change] */
function matrix({ stage = "weights", values, width = 480, look: wish = look } = {}) {
  const labels = ["the", "the"];
  return matrixFigure({ picture: pictureOf(small(values), stage, 0, 0, wish), rows: labels, columns: labels, width, tallest: 400, palette, titles: { row: "query", column: "key" } });
}

test("the matrix is drawn exactly as it was served", () => {
  assert.deepEqual(matrix().data[0].z, [Float32Array.from([1, 0]), Float32Array.from([0.25, 0.75])]);
});

test("weights stand on 0 to 1, scores around 0 as far as the largest that is visible", () => {
  const { zmin, zmax } = matrix().data[0];
  assert.deepEqual([zmin, zmax], [0, 1]);
  const scores = matrix({ stage: "scores", values: [1, 9, -3, 2] }).data[0];
  assert.deepEqual([scores.zmin, scores.zmax, scores.colorscale], [-3, 3, palette.scores]);
});

test("per row, colours are shares of the row's largest, and the numbers in the cells stay as served", () => {
  const [values, , labels] = matrix({ values: [1, 0, 0.25, 0.5], look: { ...look, weightScale: "row" } }).data;
  assert.deepEqual([...values.z[1]], [0.5, 1]);
  assert.deepEqual(labels.text, ["1.000", "0.250", "0.500"]);
});

test("on the log scale a weight of 0.01 lies at -2, and one below the scale has a mark", () => {
  const { z, marks } = pictureOf(small([1, 0, 0.01, 1e-9]), "weights", 0, 0, { ...look, weightScale: "log" });
  assert.ok(Math.abs(z[1][0] + 2) < 1e-6);
  assert.deepEqual([...marks[1]], [NaN, BELOW]);
  assert.deepEqual([...marks[0]], [NaN, MASKED]);
});

test("a weight that dropout lifts over 1 is marked as above the scale", () => {
  const { marks } = pictureOf(small([1.25, 0, 0.25, 1]), "dropped_weights", 0, 0, look);
  assert.deepEqual([...marks[0], ...marks[1]], [ABOVE, MASKED, NaN, NaN]);
});

test("a fill of a thousand million does not drown the visible scores", () => {
  const answer = small([1, -1e9, 2, 3]);
  answer.tensors = { ...answer.tensors, masked_scores: answer.tensors.scores };
  assert.equal(reachOf(answer, "masked_scores", 0, true), 3);
  assert.deepEqual([...pictureOf(answer, "masked_scores", 0, 0, { ...look, showMasked: true }).marks[0]], [NaN, BELOW]);
});

test("masks are categories: visible, each alone, several together", () => {
  assert.deepEqual([...categories(3)([0, 1, 2, 4, 5])], [0, 1, 2, 3, 4]);
  const { zmin, zmax, colorscale } = scaleOf("allowed", palette, 1, "fixed", 3);
  assert.deepEqual([zmin, zmax, colorscale.length], [-0.5, 4.5, 10]);
});

test("k and v have a tile a KV head, the output one, and every query head finds its own rows", () => {
  const k = { shape: [1, 2, 3, 2], data: Float32Array.from({ length: 12 }, (_, index) => index), dtype: "f4" };
  const output = { shape: [1, 3, 5], data: Float32Array.from({ length: 15 }, (_, index) => index), dtype: "f4" };
  const logsumexp = { shape: [1, 4, 3], data: Float32Array.from({ length: 12 }, (_, index) => index), dtype: "f4" };
  const answer = answerOf(4, 2, 3, 3);
  answer.tensors = /** @type {any} */ ({ ...answer.tensors, k, output, logsumexp });
  assert.deepEqual(tileHeads(answer, "k", [0, 1, 2, 3]), [0, 2]);
  assert.deepEqual(tileHeads(answer, "k", [2, 0, 3, 1]), [2, 0]);
  assert.deepEqual(tileHeads(answer, "v", [3]), [3]);
  assert.deepEqual(tileHeads(answer, "output", [3, 2]), [0]);
  assert.deepEqual(tileHeads(answer, "scores", [3, 2]), [3, 2]);
  assert.deepEqual([...stageRows(answer, "k", 0, 3)[0]], [6, 7]);
  assert.deepEqual([...stageRows(answer, "output", 0, 3)[1]], [5, 6, 7, 8, 9]);
  assert.deepEqual(stageRows(answer, "logsumexp", 0, 2).map((row) => [...row]), [[6, 7, 8]]);
});

test("one cursor: each picture moves the axes it has and leaves the others", () => {
  const cursor = { query: 2, key: 1, dim: 4 };
  assert.deepEqual(cursorAt("weights", cursor, 0, 3), { query: 0, key: 3 });
  assert.deepEqual(cursorAt("v", cursor, 0, 3), { query: 2, key: 0, dim: 3 });
  assert.deepEqual(cursorAt("logsumexp", cursor, 0, 3), { query: 3, key: 1 });
  assert.deepEqual(placeOf("v", cursor), { row: 1, column: 4 });
  assert.deepEqual(placeOf("q", { query: 2, key: 1 }), { row: 2, column: null });
  assert.deepEqual(placeOf("logsumexp", cursor), { row: 0, column: 2 });
});

test("heads are ordered and filtered by a number each, those without one last", () => {
  const answer = answerOf(4, 2, 3, 3);
  answer.tensors = /** @type {any} */ ({ ...answer.tensors, entropy: { shape: [2, 4], data: Float32Array.from([0, 0, 0, 0, 0.5, NaN, 2, 1]), dtype: "f4" } });
  const wish = { batch: 1, sortHeads: /** @type {"entropy"} */ ("entropy"), descending: false, from: "", to: "" };
  assert.deepEqual(headOrder(answer, wish), [0, 3, 2, 1]);
  assert.deepEqual(headOrder(answer, { ...wish, descending: true }), [2, 3, 0, 1]);
  assert.deepEqual(headOrder(answer, { ...wish, from: "0,7", to: "1.5" }), [3, 1]);
  assert.deepEqual(headOrder(answer, { ...wish, sortHeads: "largest_weight" }), [0, 1, 2, 3]);
});

test("every choice of colours runs from light to dark or back without turning", () => {
  for (const dark of [false, true]) {
    for (const name of PALETTES) {
      const lights = paletteFor(dark, name).weights.map(([, colour]) => luminance(colour));
      const steps = lights.slice(1).map((light, index) => Math.sign(light - lights[index]));
      assert.deepEqual([...new Set(steps)], [dark ? 1 : -1], `${name}, ${dark ? "dark" : "light"}`);
    }
  }
});

test("repeated labels are tick texts on numeric axes, so no row or column is lost", () => {
  const { xaxis, yaxis } = matrix().layout;
  assert.deepEqual([xaxis.tickvals, xaxis.ticktext], [[0, 1], ["the", "the"]]);
  assert.deepEqual([xaxis.range, yaxis.range], [[-0.5, 1.5], [1.5, -0.5]]);
  assert.equal("x" in matrix().data[0], false);
});

test("a token that looks like markup is text", () => {
  assert.deepEqual(ticks(["<b>", "&amp;"], 50, 10).ticktext, ["&lt;b&gt;", "&amp;amp;"]);
});

test("labels thin out to every second, fifth or tenth where cells are narrow", () => {
  const labels = Array.from({ length: 20 }, (_, index) => `t${index}`);
  assert.deepEqual(ticks(labels, 30, 25).tickvals.length, 20);
  assert.deepEqual(ticks(labels, 6, 25).tickvals, [0, 5, 10, 15]);
  assert.deepEqual(ticks(labels, 1, 400).tickvals, [0]);
});

test("long labels are cut with an ellipsis", () => {
  assert.equal(shortened("internationalisation"), "international…");
  assert.equal(shortened("fourteen chars"), "fourteen chars");
  assert.equal(shortened("注意力可视化"), "注意力可视化");
  assert.equal(shortened("注意力可视化程序"), "注意力可视化…");
});

test("a Chinese label takes twice the room of a Latin one as long", () => {
  assert.equal(labelWidth(["注意力"]), labelWidth(["abcdef"]));
});

test("masked, −∞, +∞ and NaN have marks of their own, plain numbers none", () => {
  const values = [Float32Array.from([0, -Infinity, Infinity, NaN, 2])];
  const [marks] = marksOf(values, [Uint8Array.from([0, 1, 1, 1, 1])], "all");
  assert.deepEqual([...marks], [MASKED, MINUS_INFINITY, PLUS_INFINITY, NOT_A_NUMBER, NaN]);
});

test("a masked cell that carries weight, or NaN, is not covered up", () => {
  const values = [Float32Array.from([0, 0.2, NaN])];
  const [marks] = marksOf(values, [Uint8Array.from([0, 0, 0])], coverOf("weights", false));
  assert.deepEqual([...marks], [MASKED, NaN, NOT_A_NUMBER]);
});

test("masked scores are covered until they are asked for", () => {
  assert.equal(coverOf("scores", false), "all");
  assert.equal(coverOf("scores", true), "none");
});

test("hatching covers exactly the masked cells", () => {
  const path = hatchPath([Uint8Array.from([1, 0]), Uint8Array.from([1, 1])], 2);
  const points = [...path.matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
  assert.equal(points.length, 4);
  for (const [x, y] of points) assert.ok(x >= 0.5 && x <= 1.5 && y >= -0.5 && y <= 0.5, `${x},${y}`);
  assert.equal(hatchPath([Uint8Array.from([1])], 4), "");
});

test("the range of scores is over all heads of one sequence, masked cells only when shown", () => {
  const answer = answerOf(3, 1, 2, 2);
  assert.deepEqual(rangeOf(answer, "scores", 0, false), { min: 0, max: 211 });
  assert.deepEqual(rangeOf(answer, "scores", 1, true), { min: 1000, max: 1211 });
  assert.equal(reachOf(answer, "scores", 1, true), 1211);
  answer.tensors.scores.data[1] = -7;
  assert.equal(rangeOf({ ...answer, tensors: { ...answer.tensors, scores: { ...answer.tensors.scores } } }, "scores", 0, true)?.min, -7);
  answer.tensors.scores = { ...answer.tensors.scores, data: Float32Array.from(answer.tensors.scores.data, () => -Infinity) };
  assert.equal(reachOf(answer, "scores", 0, true), 1);
  assert.equal(rangeOf(answer, "logsumexp", 0, false), null);
});

test("the numbers in cells have a contrast of 4.5 on every colour of every palette", () => {
  for (const dark of [false, true]) {
    for (const name of PALETTES) {
      const { weights, scores } = paletteFor(dark, name);
      for (const colorscale of [weights, scores]) {
        const colourOf = painter({ zmin: 0, zmax: 400, colorscale });
        for (let step = 0; step <= 400; step += 1) {
          const paper = hex(colourOf(step) ?? "");
          const found = contrast(inkOn(colourOf(step) ?? ""), paper);
          assert.ok(found >= 4.5, `${name}, ${dark ? "dark" : "light"}, ${paper}: ${found}`);
        }
      }
    }
  }
});

/** @param {string} colour rgb(r,g,b) */
function hex(colour) {
  return `#${(colour.match(/\d+/g) ?? []).map((channel) => Number(channel).toString(16).padStart(2, "0")).join("")}`;
}

test("a scale is chosen by what is shown", () => {
  assert.deepEqual(scaleOf("weights", palette, 7), { zmin: 0, zmax: 1, colorscale: palette.weights, bar: {} });
});

test("heads of one group stand in one row of the overview, or fill whole rows", () => {
  assert.equal(mosaicOf(8, 4, 5, 5, 1000).columns, 8);
  assert.equal(mosaicOf(8, 4, 5, 5, 380).columns, 4);
  assert.equal(mosaicOf(32, 8, 5, 5, 1000).columns, 8);
  assert.equal(mosaicOf(6, 3, 5, 5, 300).columns, 3);
});

test("the edges of cells are those of the tiles, with one gap between", () => {
  const places = [{ tile: 0, cell: 0 }, { tile: 0, cell: 1 }, null, { tile: 1, cell: 0 }, { tile: 1, cell: 1 }];
  assert.deepEqual(edgesOf([0, 30], 20, 2, 1), { edges: [0, 10, 20, 30, 40, 50], places });
});

test("many cells stand on an even grid, gaps and all, and within the width asked for", () => {
  const mosaic = mosaicOf(12, 4, 37, 41, 700);
  assert.ok(mosaic.tiles.every(({ x }) => x + mosaic.tileWidth <= 700.001));
  for (const [starts, size, cells, gap] of /** @type {[number[], number, number, number][]} */ ([
    [mosaic.tiles.slice(0, mosaic.columns).map(({ x }) => x), mosaic.tileWidth, 41, mosaic.gaps.across],
    [mosaic.tiles.filter((_, head) => head % mosaic.columns === 0).map(({ y }) => y), mosaic.tileHeight, 37, mosaic.gaps.down],
  ])) {
    const { edges, places } = edgesOf(starts, size, cells, gap);
    assert.equal(edges.length, places.length + 1);
    edges.slice(1).forEach((edge, index) => assert.ok(Math.abs(edge - edges[index] - size / cells) < 1e-9));
  }
});

/**
 * @param {ReturnType<typeof answerOf>} answer
 * @param {string} stage
 * @param {number} batch
 * @param {number} width
 */
function tilesOf(answer, stage, batch, width) {
  const { num_heads: H, num_kv_heads: K, kv_head_of: kvHeadOf } = answer.layout;
  const scale = stageScale(answer, stage, batch, look);
  const tiles = kvHeadOf.map((kv, head) => ({ picture: pictureOf(answer, stage, batch, head, look, scale), title: `H${head} · KV${kv}`, kv }));
  return { tiles, group: H / K, width, palette };
}

test("the cursor is a rectangle in every tile, on the same cell", () => {
  const mosaic = mosaicOf(2, 1, 2, 4, 300);
  const path = cursorPath(mosaic, { row: 1, column: 3 }, 2, 4);
  assert.equal(path.match(/M/g)?.length, 2);
  const [x, y] = [mosaic.tiles[1].x + 3.5 * (mosaic.tileWidth / 4), mosaic.tiles[1].y + 1.5 * (mosaic.tileHeight / 2)];
  assert.deepEqual(cellAt(mosaic, 1, x, y, 2, 4), { row: 1, column: 3 });
  assert.equal(cellAt(mosaic, 1, x, mosaic.tiles[1].y - 5, 2, 4), null);
});

test("every cell of every head is in the overview, and the gaps are blank", () => {
  const figure = headsFigure(tilesOf(answerOf(5, 1, 3, 7), "scores", 1, 300));
  const { tiles, tileWidth, tileHeight } = figure.mosaic;
  const [{ z, x, y }] = /** @type {any[]} */ (figure.data);
  tiles.forEach((tile, head) => {
    for (let t = 0; t < 3; t += 1) {
      for (let s = 0; s < 7; s += 1) {
        const [px, py] = [tile.x + ((s + 0.5) * tileWidth) / 7, tile.y + ((t + 0.5) * tileHeight) / 3];
        const column = x.findIndex((/** @type {number} */ edge) => edge > px) - 1;
        const row = y.findIndex((/** @type {number} */ edge) => edge > py) - 1;
        assert.equal(z[row][column], 1000 + head * 100 + t * 10 + s);
      }
    }
  });
  const numbers = z.flatMap((/** @type {Float64Array} */ row) => [...row]).filter((/** @type {number} */ value) => !Number.isNaN(value));
  assert.equal(numbers.length, 5 * 3 * 7);
});

test("a point in a tile or its title is its head's, a point in a gap nobody's", () => {
  const mosaic = mosaicOf(8, 4, 5, 5, 1000);
  const { x, y } = mosaic.tiles[5];
  assert.equal(tileAt(mosaic, x + 3, y + 3), 5);
  assert.equal(tileAt(mosaic, x + 3, y - 10), 5);
  assert.equal(tileAt(mosaic, x - 5, y + 3), null);
});

test("a bracket in the group's colour spans the heads that share a KV head", () => {
  const { layout, mosaic } = headsFigure(tilesOf(answerOf(4, 2, 3, 3), "weights", 0, 800));
  const lines = layout.shapes.filter((/** @type {any} */ shape) => palette.groups.includes(shape.line.color));
  assert.deepEqual(lines.map((/** @type {any} */ shape) => shape.line.color), [groupColour(palette, 0), groupColour(palette, 1)]);
  assert.ok(lines[0].path.includes(`H${mosaic.tiles[1].x + mosaic.tileWidth - 1}`));
  assert.deepEqual(layout.annotations.map((/** @type {any} */ { text }) => text), ["H0 · KV0", "H1 · KV0", "H2 · KV1", "H3 · KV1"]);
});

test("text keeps a contrast of at least 4.5 to 1 in both palettes", () => {
  for (const { ink, muted, paper, onMark, nan, plusInfinity, minusInfinity, clipped, groups } of [paletteFor(false), paletteFor(true)]) {
    for (const colour of [ink, muted]) assert.ok(contrast(colour, paper) >= 4.5, `${colour} on ${paper}`);
    for (const fill of [nan, plusInfinity, minusInfinity, clipped, ...groups]) assert.ok(contrast(onMark, fill) >= 4.5, `${onMark} on ${fill} ${contrast(onMark, fill)}`);
  }
});

/**
 * WCAG 2.1's ratio.
 * @param {string} one
 * @param {string} other
 */
function contrast(one, other) {
  const [high, low] = [one, other].map(luminance).sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

/** @param {string} hex */
function luminance(hex) {
  const [r, g, b] = [1, 3, 5].map((start) => {
    const value = parseInt(hex.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

test("cells with room show their number, masked ones do not", () => {
  const labels = matrix().data[2];
  assert.deepEqual(labels.text, ["1.000", "0.250", "0.750"]);
  assert.deepEqual([labels.x, labels.y], [[0, 0, 1], [0, 1, 1]]);
  assert.equal(matrix({ width: 160 }).data.length, 2);
});
