import assert from "node:assert/strict";
import { test } from "node:test";

import { fieldOf } from "../../static/js/api/fields.js";
import { fromSpec } from "../../static/js/state/from_spec.js";
import { editColumns } from "../../static/js/state/columns.js";
import { blockAt, editBlock } from "../../static/js/state/grids.js";
import { resize, setCell } from "../../static/js/state/blocks.js";
import { setPath } from "../../static/js/state/paths.js";
import { editRows } from "../../static/js/state/rows.js";
import { addSequence, groupedCounts, kindOf, removeSequence, setCross, setInputKind, setKind, setQueryHeads } from "../../static/js/state/sequences.js";
import { toSpec } from "../../static/js/state/to_spec.js";

const vectors = { x: [[1, 2], [3, 4], [5, 6]], tokens: ["a", "b", "c"], num_heads: 1 };
const direct = { q: [[1, 2], [3, 4]], k: [[5, 6], [7, 8]], v: [[9], [10]], tokens: ["a", "b"] };
const x = /** @type {const} */ ({ name: "x", item: 0, head: 0 });
const q = /** @type {const} */ ({ name: "q", item: 0, head: 0 });

test("an edit leaves the document it came from untouched", () => {
  const before = fromSpec(vectors);
  const copy = structuredClone(before);
  editBlock(before, x, (block) => setCell(block, 0, 0, "9"));
  setPath(before, "masks.window.left", "3");
  assert.deepEqual(before, copy);
});

test("moving a token takes its label, its document and its padding mark along", () => {
  const spec = { ...vectors, masks: [{ kind: "documents", ids: [0, 1, 2] }, { kind: "padding", keep: [[true, false, true]] }] };
  const moved = toSpec(editRows(fromSpec(spec), x, { kind: "move", from: 2, to: 0 }));
  assert.deepEqual(moved.tokens, ["c", "a", "b"]);
  assert.deepEqual(moved.x, [[5, 6], [1, 2], [3, 4]]);
  assert.deepEqual(moved.masks, [{ kind: "padding", keep: [[true, true, false]] }, { kind: "documents", ids: [2, 0, 1] }]);
});

test("the last token cannot be removed", () => {
  const document = fromSpec({ x: [[1, 2]] });
  assert.equal(editRows(document, x, { kind: "remove", at: 0 }), document);
});

test("a token of given heads is in q, k and v at once", () => {
  const spec = toSpec(editRows(fromSpec(direct), q, { kind: "remove", at: 0 }));
  assert.deepEqual([spec.q, spec.k, spec.v], [[[3, 4]], [[7, 8]], [[10]]]);
  const grown = toSpec(editRows(fromSpec(direct), q, { kind: "insert", at: 2 }));
  assert.deepEqual([grown.q[2], grown.k[2], grown.v[2]], [[0, 0], [0, 0], [0]]);
});

test("in cross-attention queries and keys are counted apart", () => {
  const spec = toSpec(editRows(setCross(fromSpec(direct), true), q, { kind: "remove", at: 0 }));
  assert.deepEqual([spec.q.length, spec.k.length, spec.v.length], [1, 2, 2]);
});

test("q and k keep one width, v its own", () => {
  const spec = toSpec(editBlock(fromSpec(direct), q, (block) => resize(block, 3)));
  assert.deepEqual([spec.q[0], spec.k[0], spec.v[0]], [[1, 2, 0], [5, 6, 0], [9]]);
});

test("a dimension comes, goes and moves in every sequence alike", () => {
  const document = addSequence(fromSpec({ x: [[1, 2, 3]] }), 0);
  const rows = (/** @type {typeof document} */ { input }) => input.sequences.map(({ tokens }) => tokens[0].cells.join(" "));
  assert.deepEqual(rows(editColumns(document, x, { kind: "insert", at: 1 })), ["1 0 2 3", "1 0 2 3"]);
  assert.deepEqual(rows(editColumns(document, x, { kind: "remove", at: 1 })), ["1 3", "1 3"]);
  assert.deepEqual(rows(editColumns(document, x, { kind: "move", from: 2, to: 0 })), ["3 1 2", "3 1 2"]);
});

test("a dimension of q is a dimension of k, and the last one stays", () => {
  const spec = toSpec(editColumns(fromSpec(direct), q, { kind: "remove", at: 0 }));
  assert.deepEqual([spec.q, spec.k, spec.v], [[[2], [4]], [[6], [8]], [[9], [10]]]);
  const one = fromSpec({ x: [[1]] });
  assert.equal(editColumns(one, x, { kind: "remove", at: 0 }), one);
});

test("a sequence that gets shorter is filled up and its filling masked", () => {
  const shorter = editRows(addSequence(fromSpec(vectors), 0), { ...x, item: 1 }, { kind: "remove", at: 0 });
  const spec = toSpec(shorter);
  assert.deepEqual(spec.x[1], [[3, 4], [5, 6], [0, 0]]);
  assert.deepEqual(spec.tokens[1], ["b", "c", "<pad>"]);
  assert.deepEqual(spec.masks, [{ kind: "padding", lengths: [3, 2] }]);
  assert.deepEqual(toSpec(removeSequence(shorter, 1)), toSpec(fromSpec(vectors)));
});

test("switching to cross-attention starts the memory as a copy, and back forgets nothing", () => {
  const cross = setCross(fromSpec(vectors), true);
  assert.deepEqual(toSpec(cross).memory, vectors.x);
  assert.deepEqual(toSpec(setCross(cross, false)), toSpec(fromSpec(vectors)));
});

test("the number of KV heads says the kind, and choosing a kind sets it", () => {
  const eight = setQueryHeads(fromSpec({ ...vectors, head_dim: 2 }), "8");
  assert.deepEqual([kindOf(eight), eight.heads.num_kv_heads], ["mha", "8"]);
  const grouped = setKind(eight, "gqa");
  assert.deepEqual([kindOf(grouped), grouped.heads.num_kv_heads], ["gqa", "2"]);
  assert.deepEqual(setKind(eight, "mqa").heads.num_kv_heads, "1");
  assert.deepEqual(groupedCounts(12), [2, 3, 4, 6]);
  assert.deepEqual(groupedCounts(7), []);
});

test("a new head count keeps the kind where it can", () => {
  const grouped = setKind(setQueryHeads(fromSpec(vectors), "6"), "gqa");
  assert.equal(setQueryHeads(grouped, "8").heads.num_kv_heads, grouped.heads.num_kv_heads);
  assert.equal(kindOf(setQueryHeads(grouped, "9")), "gqa");
  assert.equal(kindOf(setQueryHeads(setKind(grouped, "mqa"), "5")), "mqa");
});

test("given heads are filled up by copies, and kept when there are fewer again", () => {
  const more = setQueryHeads(fromSpec(direct), "2");
  const changed = editBlock(more, { name: "k", item: 0, head: 1 }, (block) => setCell(block, 0, 0, "-1"));
  assert.deepEqual(toSpec(changed).k, [[[5, 6], [7, 8]], [[-1, 6], [7, 8]]]);
  const shared = setKind(changed, "mqa");
  assert.deepEqual(toSpec(shared).k, direct.k);
  assert.deepEqual(toSpec(setKind(shared, "mha")).k, toSpec(changed).k);
});

test("switching what is given forgets neither", () => {
  const document = setInputKind(fromSpec(direct), "vectors");
  assert.ok(toSpec(document).x);
  assert.deepEqual(toSpec(setInputKind(document, "heads")), toSpec(fromSpec(direct)));
});

test("the keys of given self-attention bear the labels of the queries", () => {
  const block = blockAt(fromSpec(direct), { name: "k", item: 0, head: 0 });
  assert.deepEqual(block.map((row) => row.label), ["a", "b"]);
});

test("an error finds its cell: sequence, row and column, less the filling on the left", () => {
  const one = fromSpec(vectors);
  assert.deepEqual(fieldOf(["x", 2, 1], one), { path: "input.x", cell: { grid: "x", item: 0, head: 0, row: 2, column: 1 } });
  const two = fromSpec({ x: [[[1, 2], [3, 4]], [[0, 0], [5, 6]]], masks: [{ kind: "padding", keep: [[1, 1], [0, 1]] }] });
  assert.deepEqual(fieldOf(["x", 1, 1, 0], two).cell, { grid: "x", item: 1, head: 0, row: 0, column: 0 });
  assert.deepEqual(fieldOf(["x"], one).cell, { grid: "x", item: 0, head: 0, row: -1, column: -1 });
});

test("an error of a given head finds the head", () => {
  const document = setQueryHeads(fromSpec(direct), "2");
  assert.deepEqual(fieldOf(["q", 1, 0, 1], document).cell, { grid: "q", item: 0, head: 1, row: 0, column: 1 });
});

test("an error of a mask finds the control that sent it", () => {
  const document = fromSpec({ ...vectors, masks: [{ kind: "causal" }, { kind: "window", left: 1 }, { kind: "window", left: 2 }] });
  assert.equal(fieldOf(["masks", 1, "left"], document).path, "masks.window.left");
  assert.equal(fieldOf(["masks", 2, "left"], document).path, "also.masks.0.left");
});

test("other errors find their control, or the list of fields kept aside", () => {
  const document = fromSpec({ ...vectors, num_head: 2 });
  assert.equal(fieldOf(["num_heads"], document).path, "heads.num_heads");
  assert.equal(fieldOf(["rope", "base"], document).path, "settings.rope.base");
  assert.equal(fieldOf(["num_head"], document).path, "also.num_head");
  assert.equal(fieldOf([], document).path, "");
});
