import assert from "node:assert/strict";
import { test } from "node:test";

import { inChinese } from "../../static/js/strings/server.js";

test("an error is translated part by part, its names and numbers kept", () => {
  assert.equal(
    inChinese("num_heads (6) must be a multiple of num_kv_heads (4): expected one of 1, 2, 3, 6, got 4"),
    "num_heads（6）必须是 num_kv_heads（4）的倍数：期望 1, 2, 3, 6 之一，实际 4",
  );
  assert.equal(inChinese("x[0][1]: a number must stand here: expected a number, got 'abc'"), "x[0][1]：这里必须是一个数：期望 一个数，实际 'abc'");
});

test("what was typed is kept as it is, whatever it says", () => {
  assert.match(inChinese("a number must stand here: expected a number, got 'two words here'"), /实际 'two words here'$/);
});

test("a sentence that is not known whole stays whole", () => {
  for (const text of ["some new sentence of the server", "a number must stand here: expected some other thing, got 3", "a number must stand here: expected a number, got something never heard of"]) {
    assert.equal(inChinese(text), text);
  }
});

test("the reasons that masks give are translated with their numbers", () => {
  assert.equal(inChinese("causal: key <= query + 4"), "因果掩码：键 ≤ 查询 + 4");
  assert.equal(inChinese("window: 2 to the left and 0 to the right, around query"), "滑动窗口：以查询为中心，左 2 右 0");
  assert.equal(inChinese("padding: real keys per sequence [5, 3] of 5"), "填充掩码：每个序列的真实键数 [5, 3]，共 5 个");
});
