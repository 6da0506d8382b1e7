/** What a new figure changes: nothing, the cells' colours, or more; and cells as pixels. */

import assert from "node:assert/strict";
import test from "node:test";

import { changeOf } from "../../static/js/figures/change.js";
import { painter, pixelColours } from "../../static/js/figures/cells.js";

/** @param {number[][]} z */
function figure(z, change = {}) {
  const rows = z.map((row) => Float32Array.from(row));
  return { data: [{ type: "heatmap", z: rows, zmin: 0, zmax: 1, ...change }], layout: { width: 100, shapes: [{ path: "M0,0" }], xaxis: { ticktext: ["a", "b"] } } };
}

test("the same numbers anew are no change", () => {
  assert.equal(changeOf(figure([[0, NaN]]), figure([[0, NaN]])), "none");
});

test("other numbers in the same frame change the cells alone", () => {
  assert.equal(changeOf(figure([[0, 1]]), figure([[0, 0.5]])), "cells");
});

test("another shape, scale, label or size changes all", () => {
  assert.equal(changeOf(figure([[0, 1]]), figure([[0, 1, 0]])), "all");
  assert.equal(changeOf(figure([[0, 1]]), figure([[0, 1], [0, 1]])), "all");
  assert.equal(changeOf(figure([[0, 1]]), figure([[0, 1]], { zmax: 2 })), "all");
  assert.equal(changeOf(figure([[0, 1]]), figure([[0, 1]], { text: [["x"]] })), "all");
  const other = figure([[0, 1]]);
  other.layout.xaxis.ticktext = ["a", "c"];
  assert.equal(changeOf(figure([[0, 1]]), other), "all");
});

test("each pixel has the colour of its number, and blanks are clear", () => {
  const trace = { z: [[0, 0.25, 1], [NaN, 2, -1]], zmin: 0, zmax: 1, colorscale: /** @type {[number, string][]} */ ([[0, "#102030"], [0.5, "#ffffff"], [1, "#c0d0e0"]]) };
  const paint = painter(trace);
  const pixels = pixelColours(trace);
  trace.z.flat().forEach((value, index) => {
    const [red, green, blue, alpha] = pixels.subarray(4 * index, 4 * index + 4);
    if (Number.isNaN(value)) return assert.equal(alpha, 0);
    const expected = (paint(value) ?? "").match(/\d+/g)?.map(Number) ?? [];
    [red, green, blue].forEach((channel, at) => assert.ok(Math.abs(channel - expected[at]) <= 1, `${value}`));
    return assert.equal(alpha, 255);
  });
});
