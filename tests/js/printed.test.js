/** Numbers as JSON, as Python prints them, or as a table; and the body of a check made of them. */

import assert from "node:assert/strict";
import test from "node:test";

import { ElidedError, readNumbers } from "../../static/js/printed.js";
import { fromSpec } from "../../static/js/state/from_spec.js";
import { defaultOwnNumbers } from "../../static/js/state/defaults.js";
import { NumbersError, checkBody, givenNames } from "../../static/js/state/own_numbers.js";

const one = fromSpec({ x: [[1, 0], [0, 1], [1, 1]], num_heads: 1 });
const two = fromSpec({ x: [[[1, 0], [0, 1]], [[1, 1], [2, 0]]], num_heads: 1 });

/** @param {Partial<ReturnType<typeof defaultOwnNumbers>["given"]>} given */
function own(given, other = {}) {
  const standard = defaultOwnNumbers();
  return { ...standard, given: { ...standard.given, ...given }, ...other };
}

test("JSON is read as it is", () => {
  assert.deepEqual(readNumbers('[[0.5, "NaN"], [1e-3, 2]]'), [[0.5, "NaN"], [1e-3, 2]]);
  const typed = { dtype: "f4", bdata: "AACAPw==", shape: "1" };
  assert.deepEqual(readNumbers(JSON.stringify(typed)), typed);
});

test("what torch, NumPy and Python print is read, at any depth", () => {
  const printed = "tensor([[[0.5000, 0.5000],\n         [1.0000, 0.0000]]], grad_fn=<SoftmaxBackward0>)";
  assert.deepEqual(readNumbers(printed), [[[0.5, 0.5], [1, 0]]]);
  assert.deepEqual(readNumbers("[[0.5 1. ]\n [nan -inf]]"), [[0.5, 1], ["NaN", "-Infinity"]]);
  assert.deepEqual(readNumbers("array([[1.e-03, 2.e+00]], dtype=float32)"), [[0.001, 2]]);
  assert.deepEqual(readNumbers("w = [[nan, inf]]"), [["NaN", "Infinity"]]);
});

test("a table is read by rows", () => {
  assert.deepEqual(readNumbers("0.25,0.75\n1,0\n"), [[0.25, 0.75], [1, 0]]);
  assert.deepEqual(readNumbers("0.25\t0.75\n1\t0"), [[0.25, 0.75], [1, 0]]);
});

test("what is left out in printing, and what is no list, are told apart", () => {
  assert.throws(() => readNumbers("[[1, 2, ..., 3]]"), ElidedError);
  for (const text of ["[[1, 2]", "[1]]", "]1[", "nothing"]) assert.equal(readNumbers(text), null, text);
});

test("a check holds what was given, with the tolerance that was typed", () => {
  assert.equal(checkBody(one, own({})), null);
  const body = checkBody(one, own({ weights: "[[[[1, 0, 0]]]]" }, { rtol: " 1e-3", atol: "much" }));
  assert.deepEqual(Object.keys(body ?? {}), ["spec", "expected", "rtol", "atol"]);
  assert.deepEqual(body?.expected, { weights: [[[[1, 0, 0]]]] });
  assert.deepEqual([body?.rtol, body?.atol], [1e-3, "much"]);
  assert.deepEqual(givenNames(own({ output: "[1]", q: "  " })), ["output"]);
});

test("the axes of one sequence and one head need not be written, those of more must", () => {
  assert.deepEqual(checkBody(one, own({ weights: "[[1, 0]]", output: "[[1, 0]]" }))?.expected, { weights: [[[[1, 0]]]], output: [[[1, 0]]] });
  assert.deepEqual(checkBody(two, own({ weights: "[[1, 0]]" }))?.expected, { weights: [[1, 0]] });
});

test("a text without numbers is named by its tensor", () => {
  const caught = (/** @type {string} */ text) => {
    try {
      checkBody(one, own({ heads: text }));
    } catch (error) {
      return error instanceof NumbersError && [error.tensor, error.elided];
    }
    return null;
  };
  assert.deepEqual(caught("what?"), ["heads", false]);
  assert.deepEqual(caught("[1, ..., 2]"), ["heads", true]);
});
