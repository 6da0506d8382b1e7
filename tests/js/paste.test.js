import assert from "node:assert/strict";
import { test } from "node:test";

import { parsePaste } from "../../static/js/paste.js";
import { paste } from "../../static/js/state/blocks.js";

test("a single value is left to the cell", () => {
  for (const text of ["1", " 0,5 ", "abc", "", "\n"]) assert.equal(parsePaste(text), null, JSON.stringify(text));
});

test("a block from a spreadsheet: tabs between columns", () => {
  assert.deepEqual(parsePaste("1\t2\r\n3\t4\r\n"), { labels: null, cells: [["1", "2"], ["3", "4"]] });
});

test("commas between columns where there are several rows, or several commas", () => {
  assert.deepEqual(parsePaste("1,0\n0,1")?.cells, [["1", "0"], ["0", "1"]]);
  assert.deepEqual(parsePaste("1,0,2")?.cells, [["1", "0", "2"]]);
  assert.deepEqual(parsePaste("1, 0")?.cells, [["1", "0"]]);
});

test("semicolons and tabs leave the comma to decimals, and the point to thousands", () => {
  assert.deepEqual(parsePaste("0,5;-1,25\n1.234,5;2")?.cells, [["0.5", "-1.25"], ["1234.5", "2"]]);
  assert.deepEqual(parsePaste("0,5\t2")?.cells, [["0.5", "2"]]);
});

test("a header row is dropped and a label column kept", () => {
  const pasted = parsePaste("token,d0,d1\nthe,1,2\ncat,3,4");
  assert.deepEqual(pasted, { labels: ["the", "cat"], cells: [["1", "2"], ["3", "4"]] });
});

test("labels that look like numbers in some rows are labels if others do not", () => {
  assert.deepEqual(parsePaste("7\t1\nseven\t2"), { labels: ["7", "seven"], cells: [["1"], ["2"]] });
});

test("quoted fields may hold separators, quotes and line breaks", () => {
  assert.deepEqual(parsePaste('"a, ""b""\nc",1,2\nd,3,4')?.labels, ['a, "b"\nc', "d"]);
});

test("a matrix as JSON or as numpy prints it", () => {
  assert.deepEqual(parsePaste("[[1, 0.5], [0, -1]]")?.cells, [["1", "0.5"], ["0", "-1"]]);
  assert.deepEqual(parsePaste("[[1.  0.5]\n [0.  -1. ]]")?.cells, [["1.", "0.5"], ["0.", "-1."]]);
});

test("columns aligned by spaces", () => {
  assert.deepEqual(parsePaste("the 1 2\ncat 3 4"), { labels: ["the", "cat"], cells: [["1", "2"], ["3", "4"]] });
});

test("short rows are filled with empty cells, for the server to refuse rather than to guess", () => {
  assert.deepEqual(parsePaste("1\t2\n3")?.cells, [["1", "2"], ["3", ""]]);
});

const block = [
  { label: "a", cells: ["1", "2"] },
  { label: "b", cells: ["3", "4"] },
];

test("pasting grows the grid to the right and below, and leaves the rest", () => {
  const grown = paste(block, 1, 1, { labels: null, cells: [["8", "9"], ["6", "7"]] });
  assert.deepEqual(grown.map((row) => row.cells), [["1", "2", "0"], ["3", "8", "9"], ["0", "6", "7"]]);
  assert.deepEqual(grown.map((row) => row.label), ["a", "b", ""]);
});

test("pasted labels name the rows they come with", () => {
  const named = paste(block, 0, 0, { labels: ["x"], cells: [["5"]] });
  assert.deepEqual(named, [{ label: "x", cells: ["5", "2"] }, block[1]]);
});

test("pasted into the label column, the first column is labels", () => {
  const named = paste(block, 0, -1, { labels: null, cells: [["7", "5"]] });
  assert.deepEqual(named[0], { label: "7", cells: ["5", "2"] });
});

test("what Python prints around a matrix is left out", () => {
  const cells = [["0.1", "-1.2"], ["3.4", "5.6"]];
  for (const text of [
    "tensor([[ 0.1, -1.2],\n        [ 3.4,  5.6]])",
    "array([[ 0.1, -1.2],\n       [ 3.4,  5.6]], dtype=float32)",
    "torch.tensor([[0.1, -1.2], [3.4, 5.6]], device='cuda:0', grad_fn=<AddmmBackward0>)\n",
    "Parameter containing:\ntensor([[ 0.1, -1.2],\n        [ 3.4,  5.6]], requires_grad=True)",
    "x = [[0.1, -1.2], [3.4, 5.6]]",
  ]) assert.deepEqual(parsePaste(text), { labels: null, cells }, text);
});

test("one number in brackets is a number", () => {
  assert.deepEqual(parsePaste("tensor([0.5])"), { labels: null, cells: [["0.5"]] });
});

test("a list that is cut off, shortened or not of numbers is left to the cell", () => {
  for (const text of ["[[1, 2], [3", "tensor([[1, 2]", "[[1, ..., 2]]", "[[1, 2], ..., [3, 4]]", "[a, b]", "[]", "[[1, 2]] and more"]) {
    assert.equal(parsePaste(text), null, text);
  }
});
