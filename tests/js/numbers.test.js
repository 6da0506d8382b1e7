import assert from "node:assert/strict";
import { test } from "node:test";

import { brief, cellValue, exact, isNumeric, numberOrList, shortestFloat32 } from "../../static/js/numbers.js";

test("plain numbers, decimal commas and the typographic minus are read", () => {
  const readings = { "1": 1, " -2.5 ": -2.5, "+.5": 0.5, "1e-3": 0.001, "0,5": 0.5, "-1,25": -1.25, "−3": -3 };
  for (const [text, value] of Object.entries(readings)) assert.equal(cellValue(text), value, text);
});

test("numbers that are not finite are written as the API writes them", () => {
  const readings = { nan: "NaN", inf: "Infinity", "-Infinity": "-Infinity", "−∞": "-Infinity" };
  for (const [text, value] of Object.entries(readings)) assert.equal(cellValue(text), value, text);
});

test("text that is no number stays as it was typed", () => {
  for (const text of ["", "abc", "1 2", "1.2.3", "0x10", "--1"]) {
    assert.equal(cellValue(text), text);
    assert.equal(isNumeric(text), false);
  }
});

test("one number stays one, several become a list", () => {
  assert.equal(numberOrList("2"), 2);
  assert.deepEqual(numberOrList("2, 3 5"), [2, 3, 5]);
  assert.deepEqual(numberOrList("2, x"), [2, "x"]);
});

test("a float32 is shown by the shortest decimal that reads back as it", () => {
  assert.equal(shortestFloat32(Math.fround(0.1)), "0.1");
  assert.equal(shortestFloat32(Math.fround(1 / 3)), "0.33333334");
  for (const value of [1e-45, 3.4028235e38, 16777216, 0.70710677]) {
    assert.equal(Math.fround(Number(shortestFloat32(Math.fround(value)))), Math.fround(value));
  }
});

test("exact numbers bear proper signs", () => {
  assert.equal(exact(Math.fround(-0.1), true), "−0.1");
  assert.equal(exact(-1 / 3, false), "−0.3333333333333333");
  assert.deepEqual([Infinity, -Infinity, NaN].map((value) => exact(value, true)), ["+∞", "−∞", "NaN"]);
});

test("labels keep three digits, and turn to powers of ten where those do not fit", () => {
  assert.deepEqual([0.70710677, -1.4142135, 12345, 0, -0.01961].map(brief), ["0.707", "−1.41", "12300", "0", "−0.0196"]);
  assert.deepEqual([2.05e38, -0.0001234].map(brief), ["2.1e+38", "−1.2e-4"]);
});

test("digits beyond a double are sent as typed, yet count as a number of a pasted block", () => {
  for (const text of ["1e400", "-1e999", "1,5e400"]) {
    assert.equal(cellValue(text), text);
    assert.equal(isNumeric(text), true);
  }
});
