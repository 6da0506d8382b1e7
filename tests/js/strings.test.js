import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { ENGLISH } from "../../static/js/strings/en.js";
import { CHINESE } from "../../static/js/strings/zh.js";

/** Letters that textbooks of both languages write alike. */
const SAME = new Set([
  "header.api", "heads.headDimDefault", "heads.valueDimDefault", "advanced.scale.default", "advanced.fill.infinity", "advanced.fullyMasked.zero",
  "advanced.fullyMasked.nan", "advanced.alibi", "overview.head", "legend.minusInfinity", "legend.plusInfinity", "legend.nan", "cell.dot", "compare.a", "compare.b", "compare.difference", "export.serif",
  "stage.q", "stage.k", "stage.v", "stage.logsumexp", "overview.palette.cividis", "overview.palette.viridis", "says.dot",
  "stability.row.zero", "stability.row.nan", "stability.b", "readings.W", "readings.line",
  "files.heads", "costs.softmax", "code.sdpa", "code.multihead_attention", "code.numpy",
]);

const english = Object.entries(ENGLISH);
/** @param {string} text */
const placeholders = (text) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

test("both languages have the same keys", () => {
  assert.deepEqual(Object.keys(CHINESE).sort(), Object.keys(ENGLISH).sort());
});

test("no text is left in English but the listed terms", () => {
  const left = english.filter(([key, text]) => CHINESE[key] === text).map(([key]) => key);
  assert.deepEqual(left.filter((key) => !SAME.has(key)), []);
});

test("every translation that is not a formula is written in Chinese", () => {
  const latin = Object.entries(CHINESE).filter(([key, text]) => !SAME.has(key) && !/\p{Script=Han}/u.test(text)).map(([key]) => key);
  assert.deepEqual(latin.filter((key) => !["input.heads", "advanced.epsilon", "steps.choice", "export.sans", "compare.readout", "list.comma", "list.semicolon", "files.progress", "cache.mha", "cache.gqa", "cache.mqa", "length.spoken", "lesson.ask.join", "generator.into.heads"].includes(key)), []);
});

test("a translation uses the values that the English text uses", () => {
  for (const [key, text] of english) assert.deepEqual(placeholders(CHINESE[key] ?? ""), placeholders(text), key);
});

test("a score has one name in Chinese", () => {
  const files = readdirSync(new URL("../../static/js/strings/", import.meta.url));
  const other = files.filter((name) => readFileSync(new URL(`../../static/js/strings/${name}`, import.meta.url), "utf8").includes("得分"));
  assert.deepEqual(other, []);
});
