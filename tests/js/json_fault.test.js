import assert from "node:assert/strict";
import { test } from "node:test";

import { hiddenFault, isTooDeep, placeOfFault } from "../../static/js/json_fault.js";

/** @param {string} text */
function fault(text) {
  try {
    JSON.parse(text);
  } catch (error) {
    return placeOfFault(/** @type {SyntaxError} */ (error), text);
  }
  return null;
}

test("the place is found from what this engine says", () => {
  assert.deepEqual(fault('{\n "a": 1,\n "b" 2}'), { line: 3, column: 6 });
});

test("a text that ends too early is wrong at its end", () => {
  assert.deepEqual(fault('{\n "a": [1'), { line: 2, column: 9 });
});

test("the wording of other engines is understood", () => {
  const error = new SyntaxError("JSON.parse: expected ':' after property name in object at line 3 column 6 of the JSON data");
  assert.deepEqual(placeOfFault(error, ""), { line: 3, column: 6 });
  assert.deepEqual(placeOfFault(new SyntaxError("Unexpected token x in JSON at position 4"), "{\n\n x"), { line: 3, column: 2 });
});

test("nesting that no specification needs is told, however deep it is", () => {
  assert.equal(isTooDeep({ x: [[[[1]]]], masks: [{ kind: "matrix", values: [[0]] }] }), false);
  for (const levels of [100, 200_000]) {
    assert.equal(isTooDeep(JSON.parse(`{"x": ${"[".repeat(levels)}${"]".repeat(levels)}}`)), true);
  }
});

test("a key that stands twice is found with its whole path", () => {
  const path = (/** @type {string} */ text) => hiddenFault(text)?.path;
  assert.equal(path('{"x": [[1]], "x": 2}'), "x");
  assert.equal(path('{"x": [[1, 2], [3]], "masks": [{"kind": "causal"}, {"kind": "window", "left": 1, "kind": 2}]}'), "masks[1].kind");
  assert.equal(path(String.raw`{"a": {"b": 1, "\u0062": 2}}`), "a.b");
});

test("a number that would become infinite is found at its place", () => {
  assert.deepEqual(hiddenFault('{"x": [[1, 2], [3, -1e400]]}'), { kind: "tooLarge", path: "x[1][1]", text: "-1e400" });
  assert.equal(hiddenFault('{"scale": 1.7976931348623157e308, "fill": 1e-400}'), null);
});

test("what only looks like a fault inside texts is none", () => {
  const value = { a: ['"', "{", "a", "1e999", ":", ",]"], b: { a: '\\"a": 1, "a": 2' }, c: [{ a: 1 }, { a: 1 }] };
  assert.equal(hiddenFault(JSON.stringify(value)), null);
  assert.equal(hiddenFault(JSON.stringify(value, null, 2)), null);
});
