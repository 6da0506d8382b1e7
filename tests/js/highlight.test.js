import assert from "node:assert/strict";
import { test } from "node:test";

import { pythonPieces } from "../../static/js/highlight.js";

const SOURCE = `"""A "quoted" text.

Over lines."""

import torch  # not "a text"


def f(x2, y=1e-5):
    return x2 * 0.5 + y, 'it\\'s', "#no comment", None
`;

/** @param {string} kind */
function textsOf(kind) {
  return pythonPieces(SOURCE).filter((piece) => piece.kind === kind).map(({ text }) => text);
}

test("the pieces put together are the source", () => {
  assert.equal(pythonPieces(SOURCE).map(({ text }) => text).join(""), SOURCE);
  assert.deepEqual(pythonPieces(""), []);
  const broken = 'x = "never closed\n# <b>';
  assert.equal(pythonPieces(broken).map(({ text }) => text).join(""), broken);
});

test("comments, texts, numbers and keywords are told apart", () => {
  assert.deepEqual(textsOf("comment"), ['# not "a text"']);
  assert.deepEqual(textsOf("text"), ['"""A "quoted" text.\n\nOver lines."""', "'it\\'s'", '"#no comment"']);
  assert.deepEqual(textsOf("number"), ["1e-5", "0.5"]);
  assert.deepEqual(textsOf("keyword"), ["import", "def", "return", "None"]);
});
