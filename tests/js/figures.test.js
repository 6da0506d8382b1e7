import assert from "node:assert/strict";
import { test } from "node:test";

import { headsFigure } from "../../static/js/figures/heads.js";
import { shortened, ticks } from "../../static/js/figures/labels.js";
import { MASKED, MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY, coverOf, hatchPath, marksOf } from "../../static/js/figures/marks.js";
import { matrixFigure } from "../../static/js/figures/matrix.js";
import { edgesOf, headAt, mosaicOf } from "../../static/js/figures/mosaic.js";
import { groupColour, paletteFor } from "../../static/js/figures/palette.js";
import { scaleOf, scoreReach } from "../../static/js/figures/scales.js";

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

/** @param {Partial<import("../../static/js/figures/matrix.js").MatrixInput>} change */
function matrix(change = {}) {
  return matrixFigure({
    stage: "weights",
    rows: [Float32Array.from([1, 0]), Float32Array.from([0.25, 0.75])],
    allowed: [Uint8Array.from([1, 0]), Uint8Array.from([1, 1])],
    queries: ["the", "the"],
    keys: ["the", "the"],
    width: 480,
    tallest: 400,
    reach: 3,
    showMasked: false,
    palette,
    titles: { query: "query", key: "key" },
    ...change,
  });
}

test("the matrix is drawn exactly as it was served", () => {
  const rows = [Float32Array.from([1, 0]), Float32Array.from([0.25, 0.75])];
  assert.equal(matrix({ rows }).data[0].z, rows);
});

test("weights stand on 0 to 1, scores around 0 as far as the largest of all heads", () => {
  const { zmin, zmax } = matrix().data[0];
  assert.deepEqual([zmin, zmax], [0, 1]);
  const scores = matrix({ stage: "scores" }).data[0];
  assert.deepEqual([scores.zmin, scores.zmax, scores.colorscale], [-3, 3, palette.scores]);
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

test("the reach of scores is over all heads of one sequence, masked cells only when shown", () => {
  const answer = answerOf(3, 1, 2, 2);
  assert.equal(scoreReach(answer, 0, false), 211);
  assert.equal(scoreReach(answer, 1, true), 1211);
  answer.tensors.scores = { ...answer.tensors.scores, data: Float32Array.from(answer.tensors.scores.data, () => -Infinity) };
  assert.equal(scoreReach(answer, 0, true), 1);
});

test("a scale is chosen by what is shown", () => {
  assert.deepEqual(scaleOf("weights", palette, 7), { zmin: 0, zmax: 1, colorscale: palette.weights });
});

test("heads of one group stand in one row of the overview, or fill whole rows", () => {
  assert.equal(mosaicOf(8, 2, 5, 5, 1000).columns, 8);
  assert.equal(mosaicOf(8, 2, 5, 5, 380).columns, 4);
  assert.equal(mosaicOf(32, 4, 5, 5, 1000).columns, 8);
  assert.equal(mosaicOf(6, 2, 5, 5, 300).columns, 3);
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

test("every cell of every head is in the overview, and the gaps are blank", () => {
  const figure = headsFigure({ answer: answerOf(5, 1, 3, 7), stage: "scores", batch: 1, selected: 2, width: 300, reach: 1, showMasked: true, palette, title: (h, k) => `${h}/${k}` });
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
  const mosaic = mosaicOf(8, 2, 5, 5, 1000);
  const { x, y } = mosaic.tiles[5];
  assert.equal(headAt(mosaic, x + 3, y + 3), 5);
  assert.equal(headAt(mosaic, x + 3, y - 10), 5);
  assert.equal(headAt(mosaic, x - 5, y + 3), null);
});

test("a bracket in the group's colour spans the heads that share a KV head", () => {
  const { layout, mosaic } = headsFigure({ answer: answerOf(4, 2, 3, 3), stage: "weights", batch: 0, selected: 0, width: 800, reach: 1, showMasked: false, palette, title: (h, k) => `H${h} · KV${k}` });
  const lines = layout.shapes.filter((/** @type {any} */ shape) => palette.groups.includes(shape.line.color));
  assert.deepEqual(lines.map((/** @type {any} */ shape) => shape.line.color), [groupColour(palette, 0), groupColour(palette, 1)]);
  assert.ok(lines[0].path.includes(`H${mosaic.tiles[1].x + mosaic.tileWidth - 1}`));
  assert.deepEqual(layout.annotations.map((/** @type {any} */ { text }) => text), ["H0 · KV0", "H1 · KV0", "H2 · KV1", "H3 · KV1"]);
});

test("text keeps a contrast of at least 4.5 to 1 in both palettes", () => {
  for (const { ink, muted, paper, onMark, nan, plusInfinity, minusInfinity, groups } of [paletteFor(false), paletteFor(true)]) {
    for (const colour of [ink, muted]) assert.ok(contrast(colour, paper) >= 4.5, `${colour} on ${paper}`);
    for (const fill of [nan, plusInfinity, minusInfinity, ...groups]) assert.ok(contrast(onMark, fill) >= 4.5, `${onMark} on ${fill} ${contrast(onMark, fill)}`);
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
  const [values] = matrix().data;
  assert.deepEqual(values.text, [["1.000", ""], ["0.250", "0.750"]]);
  assert.equal(matrix({ width: 160 }).data[0].text, undefined);
});
