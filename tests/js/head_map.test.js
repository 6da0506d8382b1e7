import assert from "node:assert/strict";
import { test } from "node:test";

import { MAP_WIDTH, headMapOf } from "../../static/js/figures/head_map.js";

/** Every way to share KV heads among up to 64 query heads. */
const LAYOUTS = Array.from({ length: 64 }, (_, index) => index + 1).flatMap((H) =>
  Array.from({ length: H }, (_, index) => index + 1)
    .filter((K) => H % K === 0)
    .map((K) => /** @type {const} */ ([H, K])),
);

test("the drawing of up to 64 heads stays in its width and its boxes apart", () => {
  for (const [H, K] of LAYOUTS) {
    const { total, queries, kvs } = headMapOf(H, K);
    assert.ok(total <= MAP_WIDTH, `${H}`);
    for (const { x, wide } of [queries, kvs]) {
      assert.ok(wide >= 3, `${H}/${K}`);
      assert.ok(x.every((middle, index) => index === 0 || middle - x[index - 1] > wide), `${H}/${K}`);
    }
  }
});

test("the first and the last head are always named, and no name runs into another", () => {
  for (const [H, K] of LAYOUTS) {
    const { queries, kvs } = headMapOf(H, K);
    for (const [letters, { x, names }] of /** @type {const} */ ([["H", queries], ["KV", kvs]])) {
      assert.deepEqual([names[0].head, names.at(-1)?.head], [0, x.length - 1], `${H}/${K}`);
      const widths = names.map(({ head }) => `${letters}${head}`.length * 6.5);
      names.slice(1).forEach((name, index) => {
        assert.ok(name.x - names[index].x >= (widths[index] + widths[index + 1]) / 2, `${H}/${K} ${letters}${name.head}`);
      });
    }
  }
});

test("few heads are all named, in their boxes", () => {
  const { queries, kvs } = headMapOf(8, 2);
  assert.deepEqual([queries.inside, kvs.inside, queries.names.length, kvs.names.length], [true, true, 8, 2]);
  assert.equal(headMapOf(32, 8).queries.inside, false);
});
