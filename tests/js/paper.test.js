/** Pictures that stand alone: their frame, their shapes, their physical size. */

import assert from "node:assert/strict";
import test from "node:test";
import { inflateSync } from "node:zlib";

import { painter, rectanglesOf } from "../../static/js/figures/cells.js";
import { paletteFor } from "../../static/js/figures/palette.js";
import { layoutWidth, paperFigure, paperRoom } from "../../static/js/figures/paper.js";
import { withResolution } from "../../static/js/png.js";

const palette = paletteFor(false);
const options = { title: "weights of <b>", bar: "weights", marks: ["", "masked", "−∞", "+∞", "NaN"], family: "Times", palette, background: "#ffffff" };

/** @param {object} change */
function drawing(change = {}) {
  const colours = ["#111111", "#222222", "#333333", "#444444"];
  return {
    data: [
      { type: "heatmap", z: [[0, 1], [1, 0]], showscale: false, ...change },
      { type: "heatmap", z: [[NaN, 1], [4, NaN]], colorscale: colours.flatMap((colour, index) => [[index / 4, colour], [(index + 1) / 4, colour]]) },
    ],
    layout: { width: 200, height: 100, margin: { l: 10, r: 20, t: 30, b: 0 }, shapes: [{ type: "path", line: { color: palette.hatch } }], annotations: [], font: { size: 12 } },
  };
}

test("text of half the size leaves twice the room for the drawing", () => {
  assert.equal(layoutWidth(500, 12), 500);
  assert.equal(layoutWidth(500, 6), 1000);
});

test("title, bar and legend get room of their own; the axes keep theirs", () => {
  const { layout } = paperFigure(drawing(), options);
  assert.equal(layout.width, 200 + paperRoom(drawing(), "weights"));
  const inner = (/** @type {any} */ { width, height, margin: { l, r, t, b } }) => [width - l - r, height - t - b];
  assert.deepEqual(inner(layout), inner(drawing().layout));
  assert.ok(layout.margin.t >= 30 + 20 && layout.margin.b >= 20);
  assert.equal(layout.font.family, "Times");
});

test("a title is text, not markup, and an empty one takes no room", () => {
  assert.equal(paperFigure(drawing(), options).layout.title.text, "weights of &lt;b&gt;");
  const without = paperFigure(drawing(), { ...options, title: "" }).layout;
  assert.equal(without.title, undefined);
  assert.ok(without.height < paperFigure(drawing(), options).layout.height);
});

test("a drawing without a bar is given one, and one of its own is kept", () => {
  assert.equal(paperFigure(drawing(), options).data[0].showscale, true);
  const own = paperFigure(drawing({ showscale: undefined, colorbar: { nticks: 3 } }), options);
  assert.equal(own.data[0].colorbar.nticks, 3);
  assert.equal(paperFigure(drawing(), { ...options, bar: "" }).data[0].showscale, false);
});

test("the legend names the marks that occur, and no others", () => {
  const texts = paperFigure(drawing(), options).layout.annotations.map((/** @type {any} */ { text }) => text);
  assert.deepEqual(texts, ["masked", "NaN", "weights"]);
  const plain = drawing();
  plain.data[1].z = [[NaN]];
  plain.layout.shapes = [];
  assert.deepEqual(paperFigure(plain, options).layout.annotations.map((/** @type {any} */ { text }) => text), ["weights"]);
});

test("a colour lies on the straight line between its neighbours in the scale", () => {
  const paint = painter({ zmin: 0, zmax: 10, colorscale: [[0, "#000000"], [0.5, "#640000"], [1, "#6400c8"]] });
  assert.equal(paint(0), "rgb(0,0,0)");
  assert.equal(paint(2.5), "rgb(50,0,0)");
  assert.equal(paint(7.5), "rgb(100,0,100)");
  assert.equal(paint(99), "rgb(100,0,200)");
  assert.equal(paint(NaN), null);
});

test("in a scale of steps each number has one flat colour", () => {
  const paint = painter({ zmin: 0.5, zmax: 2.5, colorscale: [[0, "#010101"], [0.5, "#010101"], [0.5, "#020202"], [1, "#020202"]] });
  assert.equal(paint(1), "rgb(1,1,1)");
  assert.equal(paint(2), "rgb(2,2,2)");
});

test("rectangles lie where the cells are, gaps left free and blanks left out", () => {
  const scale = /** @type {[number, string][]} */ ([[0, "#000000"], [1, "#ffffff"]]);
  const trace = { z: [[0, 1, NaN], [NaN, 0, 0]], zmin: 0, zmax: 1, colorscale: scale, xgap: 2, ygap: 2 };
  const found = rectanglesOf(trace, { x: 100, y: 10, width: 30, height: 40 });
  assert.deepEqual(found[0], { x: 101, y: 11, width: 8, height: 18, fill: "rgb(0,0,0)" });
  assert.deepEqual(found.map(({ x, y }) => [x, y]), [[101, 11], [111, 11], [111, 31], [121, 31]]);
});

test("edges of their own place the cells, and equal neighbours join without gaps", () => {
  const trace = { z: [[5, 5, 7]], x: [0, 10, 30, 40], y: [3, 4], zmin: 0, zmax: 10, colorscale: /** @type {[number, string][]} */ ([[0, "#000000"], [1, "#ffffff"]]) };
  const found = rectanglesOf(trace, { x: 0, y: 0, width: 80, height: 5 });
  assert.deepEqual(found.map(({ x, width }) => [x, width]), [[0, 60], [60, 20]]);
});

test("a PNG says its resolution right behind its header, with a right checksum", () => {
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  const out = Buffer.from(withResolution(new Uint8Array(png), 300));
  assert.equal(out.length, png.length + 21);
  assert.equal(out.toString("latin1", 37, 41), "pHYs");
  assert.equal(out.readUInt32BE(41), 11811);
  assert.equal(out.readUInt32BE(50), 0x78a53f76);
  assert.ok(inflateSync(out.subarray(out.indexOf("IDAT") + 4, out.indexOf("IDAT") + 4 + 13)).length > 0);
});
