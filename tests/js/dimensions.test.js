import assert from "node:assert/strict";
import { test } from "node:test";

import { divisors, headCounts } from "../../static/js/state/dimensions.js";
import { fromSpec } from "../../static/js/state/from_spec.js";
import { setPath } from "../../static/js/state/paths.js";
import { toSpec } from "../../static/js/state/to_spec.js";

const document = fromSpec({ x: [[1, 2], [3, 4]], num_heads: 1 });

test("divisors come smallest first, the root of a square once", () => {
  assert.deepEqual(divisors(1), [1]);
  assert.deepEqual(divisors(12), [1, 2, 3, 4, 6, 12]);
  assert.deepEqual(divisors(49), [1, 7, 49]);
  assert.deepEqual(divisors(13), [1, 13]);
  assert.deepEqual(divisors(0), []);
});

test("more heads than could be drawn count as one and are sent as typed", () => {
  for (const text of ["1025", "1000000", "9007199254740991"]) {
    const typed = setPath(document, "heads.num_heads", text);
    assert.equal(headCounts(typed).H, 1, text);
    assert.equal(toSpec(typed).num_heads, Number(text));
  }
  assert.equal(headCounts(setPath(document, "heads.num_heads", "1024")).H, 1024);
});
