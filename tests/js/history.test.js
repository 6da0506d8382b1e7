import assert from "node:assert/strict";
import { test } from "node:test";

import { createHistory, placeOfChange } from "../../static/js/state/history.js";

test("steps go back and forward", () => {
  const history = createHistory();
  history.record("a", "", 0);
  history.record("b", "", 1);
  assert.equal(history.undo("c"), "b");
  assert.equal(history.undo("b"), "a");
  assert.equal(history.undo("a"), null);
  assert.equal(history.redo("a"), "b");
  assert.equal(history.redo("b"), "c");
  assert.equal(history.redo("c"), null);
});

test("a burst of typing in one field is one step", () => {
  const history = createHistory();
  history.record("", "cell", 0);
  history.record("1", "cell", 200);
  history.record("12", "cell", 900);
  assert.equal(history.undo("123"), "");
  assert.equal(history.canUndo(), false);
});

test("a pause, another field, or a change without a name begins a new step", () => {
  const history = createHistory();
  history.record("a", "cell", 0);
  history.record("b", "cell", 2000);
  history.record("c", "other", 2001);
  history.record("d", "", 2002);
  history.record("e", "", 2003);
  assert.deepEqual([history.undo("f"), history.undo("e"), history.undo("d"), history.undo("c"), history.undo("b")], ["e", "d", "c", "b", "a"]);
});

test("a change after going back drops what was ahead", () => {
  const history = createHistory();
  history.record("a", "", 0);
  history.undo("b");
  history.record("a", "", 1);
  assert.equal(history.canRedo(), false);
});

test("typing on after going back is a step of its own", () => {
  const history = createHistory();
  history.record("a", "cell", 0);
  history.record("b", "other", 1);
  history.undo("c");
  history.record("b", "other", 2);
  assert.equal(history.undo("d"), "b");
});

test("the oldest steps are forgotten", () => {
  const history = createHistory(3);
  for (let step = 0; step < 10; step += 1) history.record(step, "", step);
  assert.deepEqual([history.undo(10), history.undo(9), history.undo(8), history.undo(7)], [9, 8, 7, null]);
});

test("the place of a change is found, however much was rebuilt around it", () => {
  const before = { grid: [[{ text: "1" }, { text: "2" }]], on: true };
  assert.deepEqual(placeOfChange(before, { grid: [[{ text: "1" }, { text: "25" }]], on: true }), { path: "grid.0.1.text", typed: true });
  assert.deepEqual(placeOfChange(before, { ...before, on: false }), { path: "on", typed: false });
});

test("a change in two places, or of a list's length, has no place", () => {
  assert.equal(placeOfChange({ a: "1", b: "1" }, { a: "2", b: "2" }), null);
  assert.equal(placeOfChange({ list: ["1"] }, { list: ["1", "2"] }), null);
});
