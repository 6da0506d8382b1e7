import assert from "node:assert/strict";
import { test } from "node:test";

import { readReadings } from "../../static/js/api/readings.js";
import { readStability } from "../../static/js/api/stability.js";
import { defaultDocument, defaultTools } from "../../static/js/state/defaults.js";
import { readingsBody } from "../../static/js/state/readings.js";

/** @param {Partial<import("../../static/js/state/types.js").Tools["readings"]>} change */
const body = (change) => readingsBody(defaultDocument(), { ...defaultTools().readings, ...change });

test("what belongs to another subject is not asked", () => {
  const { spec, ...asked } = body({ subject: "causal", mask: "1", window: "3" });
  assert.ok(spec.x);
  assert.deepEqual(asked, { subject: "causal", mask: null, window: null, show: "bottom_right" });
});

test("a reading of another subject gives way to one of this", () => {
  assert.equal(body({ subject: "window", show: "blocked" }).show, "beside_itself");
  assert.equal(body({ subject: "window", show: "both_sides" }).show, "both_sides");
  assert.equal(body({ subject: "array", show: "allowed" }).show, "allowed");
});

test("an empty field is left to the server, and what is no number is passed on to be refused", () => {
  assert.equal(body({ subject: "window", window: " " }).window, null);
  assert.equal(body({ subject: "window", window: "5" }).window, 5);
  assert.equal(body({ subject: "window", window: "five" }).window, "five");
  assert.equal(body({ subject: "array", mask: "" }).mask, null);
  assert.equal(body({ subject: "array", mask: "2" }).mask, 2);
});

const run = { layout: { num_heads: 1, kv_head_of: [0] }, steps: [], tokens: { queries: [["a"]], keys: [["a"]] }, masks: [] };
const tensor = { dtype: "f4", bdata: "AACAPw==", shape: "1,1,1,1" };
const apart = { max_abs: "NaN", mean_abs: 0.5, at: [0, 0, 0, 0], first: null };
const shown = { stages: { weights: { ...apart, difference: tensor } }, incomparable: {}, runs: { a: run, b: run }, a: { weights: tensor }, b: { weights: tensor } };

test("numbers that JSON has no word for are read", () => {
  const event = { stage: "exponentials", kind: "overflow", count: 1, first: [0, 0, 0, 0], exact: "Infinity" };
  const trial = { name: "set -inf", kind: "set", dtype: "float16", fill: "-Infinity", stages: { weights: apart }, finite_weights: null, events: [event], hidden_weight: null, empty_rows: "nan", fields: null };
  const found = readStability({ dtype: "float16", trials: [trial], shown }, "set -inf", "weights");
  assert.equal(found.shown.fill, -Infinity);
  assert.ok(Number.isNaN(found.shown.largest));
  assert.equal(found.shown.finite, null);
  assert.equal(found.shown.events[0].exact, Infinity);
  assert.deepEqual([...found.comparison.a.tensors.weights.data], [1]);
});

test("a reading keeps its line and its counts", () => {
  const reading = { name: "blocked", line: "heads = …", mask: "~mask", setup: "", used_by: ["a"], whole: true, same: false, shown_cells: 3, hidden_cells: 18, empty_rows: 1, stages: { weights: { ...apart, max_abs: 1 } }, fields: null };
  const found = readReadings({ subject: "array", readings: [reading], shown }, "blocked", "weights");
  const { shown: count, hidden, empty, largest, line } = found.readings[0];
  assert.deepEqual({ count, hidden, empty, largest, line }, { count: 3, hidden: 18, empty: 1, largest: 1, line: "heads = …" });
});
