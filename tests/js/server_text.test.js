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

test("types, ranges and what stands twice are said in Chinese too", () => {
  for (const [english, chinese] of [
    ["num_heads must be a whole number: got 'two'", "num_heads 必须是整数：实际 'two'"],
    ["p must be within its bounds: expected less than 1, got 1", "p 必须在允许的范围内：期望 小于 1，实际 1"],
    ["dtype must be a known choice: expected one of float32, float64, got 'f'", "dtype 必须是已知的选项：期望 float32, float64 之一，实际 'f'"],
    ["rows is a list of a set length: expected at least 2 entries, got 1", "rows 是定长的列表：期望 至少 2 项，实际 1"],
    ["masks[0].kind: 'kind' stands once in an object: expected once, got twice", "masks[0].kind：kind 在同一个对象中只能出现一次：期望 一次，实际 两次"],
    ["fill takes one of several forms: expected -Infinity or a number, got 'low'", "fill 有几种写法：期望 -Infinity 或一个数，实际 'low'"],
  ]) {
    assert.equal(inChinese(english), chinese);
  }
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
