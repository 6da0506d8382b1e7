import assert from "node:assert/strict";
import { test } from "node:test";

import { readDecoding } from "../../static/js/api/decoding.js";
import { stripPicture, trianglePicture } from "../../static/js/figures/decode.js";
import { MASKED } from "../../static/js/figures/marks.js";
import { paletteFor } from "../../static/js/figures/palette.js";

const look = { palette: paletteFor(false), showMasked: false, weightScale: /** @type {"fixed"} */ ("fixed") };

/**
 * @param {number[]} values
 * @param {string} shape
 */
function typed(values, shape) {
  return { dtype: "f4", bdata: Buffer.from(Float32Array.from(values).buffer).toString("base64"), shape };
}

/**
 * One head: queries from `position`, each number 10 · query + key.
 * @param {number} position
 * @param {number} C
 */
function step(position, C) {
  const P = position + C;
  const cells = Array.from({ length: C * P }, (_, i) => 10 * (position + Math.floor(i / P)) + (i % P));
  const seen = Array.from({ length: C * P }, (_, i) => (i % P <= position + Math.floor(i / P) ? 1 : 0));
  const shape = `1,1,${C},${P}`;
  const vector = typed(Array.from({ length: C * 2 }, (_, i) => -i), `1,1,${C},2`);
  return {
    position,
    cache: { shape: [1, 1, P, 2], bytes: 16 * P, siblings: { mha: 16 * P, gqa: 16 * P, mqa: 16 * P } },
    q: vector,
    scores: typed(cells, shape),
    masked_scores: typed(cells, shape),
    allowed: { dtype: "u1", bdata: Buffer.from(Uint8Array.from(seen)).toString("base64"), shape },
    weights: typed(cells.map((cell, i) => (seen[i] ? cell / 100 : 0)), shape),
    output: typed(Array.from({ length: C * 3 }, (_, i) => i), `1,${C},3`),
    max_abs_difference_from_full: 0.5,
    top_left: { weights: typed(cells.map((cell) => cell / 100), shape), output: typed([], "0"), max_abs_difference_from_full: "Infinity" },
  };
}

const decoding = readDecoding({ prefill: 2, prefilled: step(0, 2), steps: [step(2, 1), step(3, 2)] });

/** @param {ArrayLike<number>[]} rows */
function plain(rows) {
  return rows.map((row) => Array.from(row, (value) => (Number.isNaN(value) ? null : Math.round(value * 100) / 100)));
}

const place = { batch: 0, head: 0 };

test("the prefill is the first frame, and the last says how many there will be", () => {
  assert.deepEqual(decoding.frames.map(({ position, queries, prefill }) => [position, queries, prefill]), [[0, 2, true], [2, 1, false], [3, 2, false]]);
  assert.deepEqual([decoding.queries, decoding.keys], [5, 5]);
  assert.equal(decoding.frames[1].topLeft.difference, Infinity);
  assert.equal(readDecoding({ prefilled: null, steps: [step(0, 1)] }).frames.length, 1);
});

test("the triangle fills row by row: later rows and keys not cached are empty and unmarked", () => {
  const { z, marks } = trianglePicture(decoding, 1, place, look);
  assert.deepEqual(plain(z), [
    [0, 0, null, null, null],
    [0.1, 0.11, null, null, null],
    [0.2, 0.21, 0.22, null, null],
    [null, null, null, null, null],
    [null, null, null, null, null],
  ]);
  assert.equal(marks[0][1], MASKED);
  assert.deepEqual(plain([marks[2], marks[4]]), [Array(5).fill(null), Array(5).fill(null)]);
});

test("a row of scores stands under all the keys that there will be", () => {
  const picture = stripPicture(decoding, 1, "scores", place, look);
  assert.deepEqual(plain(picture.z), [[20, 21, 22, null, null]]);
  assert.equal(picture.label(NaN), "");
  assert.equal(picture.scale.zmax, 44, "the largest of all steps");
});

test("top left masks what query i of a chunk sees beyond key i", () => {
  const { marks, allowed } = stripPicture(decoding, 2, "topLeft", place, look);
  assert.deepEqual(plain(/** @type {any} */ (allowed)), [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]);
  assert.ok(Number.isNaN(marks[0][0]));
});

test("q and output are the step's own vectors", () => {
  assert.deepEqual(plain(stripPicture(decoding, 2, "output", place, look).z), [[0, 1, 2], [3, 4, 5]]);
  assert.equal(stripPicture(decoding, 0, "q", place, look).scale.zmax, 3);
});
