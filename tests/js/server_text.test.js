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

test("a list of tensors is translated entry by entry", () => {
  assert.equal(
    inChinese("not finite: heads (8 values, first at [1, 0, 0, 0]), output (1 values, first at [1, 0, 0])"),
    "不是有限的数：各头输出（8 个值，首个在 [1, 0, 0, 0]）, 输出（1 个值，首个在 [1, 0, 0]）",
  );
});

test("the reasons that masks give are translated with their numbers", () => {
  assert.equal(inChinese("causal: key <= query + 4"), "因果掩码：键 ≤ 查询 + 4");
  assert.equal(inChinese("window: 2 to the left and 0 to the right, around query"), "滑动窗口：以查询为中心，左 2 右 0");
  assert.equal(inChinese("padding: real keys per sequence [5, 3] of 5"), "填充掩码：每个序列的真实键数 [5, 3]，共 5 个");
});

test("refusals of files and of models' weights are said in Chinese with their places", () => {
  for (const [english, chinese] of [
    ["file: a.npy is cut short: expected 168 bytes for float64 of shape [5], got 165 bytes", "file：a.npy 被截断：期望 168 字节（float64，形状 [5]），实际 165 字节"],
    ["file: a.json, [1]: rows of one array must be equally long: expected 1 values as in the first row, got 2 in row [1]", "file：a.json, [1]：同一数组的各行必须等长、等深：期望 与第一行相同的 1 个值，实际 第 [1] 行有 2 个"],
    ["row 3 has 1 cells, expected 2 as in row 1", "第 3 行有 1 个单元格，应与第 1 行一样有 2 个"],
    ["a.safetensors has a header that is not JSON: got Expecting value: line 1 column 2 (char 1)", "a.safetensors 的文件头不是 JSON：实际 第 1 行第 2 列"],
    ["run.npz is too large unpacked, at member 'b.npy': over the limit max_unpacked_bytes: expected at most 9 bytes (raised by the setting ATTENTION_MAX_UNPACKED_BYTES), got 16", "run.npz 解开后过大（在成员 'b.npy' 处）：超过上限 max_unpacked_bytes：期望 最多 9 字节（可用设置 ATTENTION_MAX_UNPACKED_BYTES 提高），实际 16"],
    ["rope: config.json: factor of the rotary scaling must be positive: got 0", "rope：config.json：旋转缩放的 factor 必须为正：实际 0"],
    ["num_heads: 8 query rows cannot be shared among 3 query heads: expected one of 1, 2, 4, 8, got 3", "num_heads：查询的 8 行不能平均分给 3 个查询头：期望 1, 2, 4, 8 之一，实际 3"],
  ]) {
    assert.equal(inChinese(english), chinese);
  }
});

test("refusals of the lesson's routes are said in Chinese", () => {
  for (const [english, chinese] of [
    ["rows: a variance needs several scores: expected rows · keys of 2 or more, got 1", "rows：计算方差需要多个分数：期望 rows · keys 至少为 2，实际 1"],
    ["tile: 65 × 65 cells are cut into at most 4096 tiles: expected a larger tile, got 1", "tile：65 × 65 个单元格最多分成 4096 块：期望 更大的块，实际 1"],
  ]) {
    assert.equal(inChinese(english), chinese);
  }
});

test("refusals of language models and of captured runs are said in Chinese", () => {
  for (const [english, chinese] of [
    ["model: the model gone cannot be run: got there is no such folder or file", "model：无法运行模型 gone：实际 没有这个文件夹或文件"],
    ["its folder holds neither config.json nor a .gguf file", "它的文件夹中既没有 config.json，也没有 .gguf 文件"],
    ["transformers not installed: pip install 'attention-visualiser[models]'", "没有安装 transformers：pip install 'attention-visualiser[models]'"],
    ["model: model is one that the server allows: expected 'small', got 'other'", "model：model 必须是服务器允许的模型：期望 'small'，实际 'other'"],
    ["text: tokens of all texts, padded: over the limit max_run_tokens: expected at most 11 (raised by the setting ATTENTION_MAX_RUN_TOKENS), got 12", "text：所有文本填充后的词元总数超过上限 max_run_tokens：期望 最多 11（可用设置 ATTENTION_MAX_RUN_TOKENS 提高），实际 12"],
    ["text: the text is longer than the model reads: expected at most 512 tokens, got 600", "text：文本超过了模型能读取的长度：期望 最多 512 个词元，实际 600"],
    ["file: a captured run's attention_calls says which calls its tensors are, but call 0 lacks tensors: got 'no call.0.q'", "file：捕获的运行在 attention_calls 中说明各次调用，但缺少第 0 次调用的张量：实际 'no call.0.q'"],
  ]) {
    assert.equal(inChinese(english), chinese);
  }
});
