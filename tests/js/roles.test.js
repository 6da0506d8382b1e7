import assert from "node:assert/strict";
import { test } from "node:test";

import { formsOf } from "../../static/js/api/uploads.js";
import { noteOf, withCall, withWeights } from "../../static/js/state/brought.js";
import { defaultDocument } from "../../static/js/state/defaults.js";
import { dimensions, queryLengths, width } from "../../static/js/state/dimensions.js";
import { fromSpec } from "../../static/js/state/from_spec.js";
import { fromLines, defaults, toLines } from "../../static/js/state/kept.js";
import { uploadsUsed, withoutUpload } from "../../static/js/state/references.js";
import { faultOf, fieldsOf, forGrids, guessRoles, rolesFor, withFields } from "../../static/js/state/roles.js";
import { setInputKind, useGrid } from "../../static/js/state/sequences.js";
import { toSpec } from "../../static/js/state/to_spec.js";

const ID = "ab".repeat(32);
const tensor = (/** @type {string} */ name, /** @type {number[]} */ ...shape) => ({ name, dtype: "float32", shape });
const answer = (/** @type {any[]} */ ...tensors) => ({ id: ID, name: "acts.npz", size: 7, tensors });

test("a lone table is x, whatever it is called; a file's own name counts where it holds one array", () => {
  assert.deepEqual(guessRoles(answer(tensor("table", 5, 3))), { table: "x" });
  assert.deepEqual(guessRoles({ ...answer(tensor("array", 5, 3)), name: "past_key.npy" }), { array: "past_k" });
});

test("q, k and v are guessed together or not at all, and a mask's convention never", () => {
  const heads = [tensor("q", 5, 3), tensor("key", 5, 3), tensor("values", 5, 2)];
  assert.deepEqual(guessRoles(answer(...heads, tensor("attention_mask", 5, 5))), { q: "q", key: "k", values: "v", attention_mask: "mask" });
  assert.deepEqual(guessRoles(answer(heads[0], heads[1])), { q: "", key: "" });
});

test("a tensor is offered what its axes allow", () => {
  assert.deepEqual(rolesFor([3]), ["mask:allowed", "mask:blocked", "mask:additive", "b_q", "b_k", "b_v", "b_o"]);
  assert.ok(rolesFor([5, 3]).includes("w_o") && !rolesFor([2, 5, 3]).includes("w_o"));
  assert.ok(!rolesFor([2, 2, 5, 3]).includes("x") && rolesFor([2, 2, 5, 3]).includes("past_v"));
  assert.deepEqual(rolesFor([1, 2, 2, 5, 3]), []);
});

test("what does not go together is told before it is sent", () => {
  assert.equal(faultOf({ a: "" })?.fault, "nothing");
  assert.deepEqual(faultOf({ a: "q", b: "k" }), { fault: "heads", roles: ["v"] });
  assert.equal(faultOf({ a: "x", b: "x" })?.fault, "twice");
  assert.equal(faultOf({ a: "x", b: "q", c: "k", d: "v" })?.fault, "both");
  assert.equal(faultOf({ a: "x", b: "mask" })?.fault, "mask");
  assert.deepEqual(faultOf({ a: "x", b: "past_v" }), { fault: "cache", roles: ["past_k"] });
  assert.deepEqual(faultOf({ a: "w_q", b: "w_o" }), { fault: "weights", roles: ["w_k", "w_v"] });
  assert.equal(faultOf({ a: "x", b: "mask:blocked", c: "mask:additive" }), null);
});

test("large inputs stay references, and the page knows their lengths", () => {
  const roles = { h: "x", m: "mask:blocked" };
  const file = answer(tensor("h", 2, 700, 30), tensor("m", 700, 700));
  const fields = fieldsOf(ID, roles);
  assert.deepEqual(forGrids(fields, file.tensors), []);
  const document = withFields(defaultDocument(), noteOf(file, {}, fields), fields, {});
  const { B, T, S } = dimensions(document);
  assert.deepEqual([B, T, S, width(document, "tokens")], [2, 700, 700, 30]);
  assert.deepEqual(toSpec(document).x, { upload: ID, name: "h" });
  assert.deepEqual(toSpec(document).masks, [{ kind: "matrix", values: { upload: ID, name: "m" }, convention: "blocked" }]);
  assert.equal(queryLengths(useGrid(document, "x")).length, 1);
});

test("small ones go into the grid with their labels, and the heads follow the width", () => {
  const file = answer(tensor("table", 2, 5));
  const fields = fieldsOf(ID, { table: "x" });
  const before = { ...defaultDocument(), heads: { ...defaultDocument().heads, num_heads: "3", num_kv_heads: "3" } };
  assert.deepEqual(forGrids(fields, file.tensors), ["x"]);
  const document = withFields(before, noteOf(file, {}, fields), fields, { x: [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10]], tokens: ["the", "cat"] });
  assert.deepEqual(document.input.sequences[0].tokens[1], { label: "cat", cells: ["6", "7", "8", "9", "10"] });
  assert.equal(document.heads.num_heads, "1");
  assert.deepEqual(document.also, {});
});

test("heads in a file count themselves, and choosing token vectors leaves them", () => {
  const spec = { q: { upload: ID, name: "q" }, k: { upload: ID, name: "k" }, v: { upload: ID, name: "k" }, past_k: { upload: ID, name: "k" }, past_v: { upload: ID, name: "k" } };
  const note = noteOf(answer(tensor("q", 2, 6, 7, 5), tensor("k", 2, 3, 11, 5)), {}, spec);
  const document = withCall(defaultDocument(), note, spec);
  assert.deepEqual(dimensions(document), { B: 2, T: 7, S: 22, P: 11, H: 6, K: 3 });
  assert.ok(!("num_heads" in toSpec(document)) && !("projection" in toSpec(document)));
  assert.ok("x" in toSpec(setInputKind(document, "vectors")) && !("q" in toSpec(setInputKind(document, "vectors"))));
});

test("a module's weights bring its heads along, and random vectors where those on the page have another width", () => {
  const module = { module: "layers.0.attn", width: 12, num_heads: 4, num_kv_heads: 2, head_dim: 5 };
  const spec = toSpec(withWeights(defaultDocument(), noteOf(answer(), {}), module, "auto"));
  assert.deepEqual(spec.projection, { kind: "checkpoint", upload: ID, module: "layers.0.attn" });
  assert.deepEqual([spec.num_heads, spec.num_kv_heads, spec.head_dim], [4, 2, 5]);
  assert.deepEqual(spec.x, { random: { shape: [3, 12], seed: 0 } });
  const fitting = withWeights(defaultDocument(), noteOf(answer(), {}), { ...module, width: 3 }, "blocks");
  assert.equal(toSpec(fitting).x.length, 3);
});

test("a file goes with everything that is read from it, and nothing else", () => {
  const other = { upload: "cd".repeat(32), name: "m" };
  const document = fromSpec({ x: { upload: ID, name: "h" }, tokens: ["a"], masks: [{ kind: "matrix", values: { upload: ID, name: "m" }, convention: "allowed" }, { kind: "matrix", values: other, convention: "allowed" }] });
  assert.deepEqual(uploadsUsed(document), [ID, other.upload]);
  const left = withoutUpload(document, ID);
  assert.deepEqual(Object.keys(left.also), ["masks"]);
  assert.deepEqual(uploadsUsed(left), [other.upload]);
});

test("a link keeps name, size, hash and shapes, and refuses what is no file", () => {
  const note = noteOf(answer(tensor("h", 700, 30)), { beside: ["config.json"], options: { decimal: "," } }, { upload: ID, name: "h" });
  const kept = { ...defaults(), document: { ...defaultDocument(), uploads: [note] } };
  assert.deepEqual(fromLines(toLines(kept)).kept.document.uploads, [note]);
  const broken = toLines({ ...kept, document: { ...kept.document, uploads: [{ ...note, id: "../etc" }] } });
  assert.deepEqual(fromLines(broken), { kept: defaults(), unread: ["document.uploads"] });
});

test("a run keeps the text that it came from, whichever of its calls is on show", () => {
  const run = { model: "small", text: ["one", "two"], layers: null };
  const note = noteOf(answer(), noteOf(answer(tensor("call.0.q", 2, 3)), { run }));
  assert.deepEqual(note.run, run);
  const kept = { ...defaults(), document: { ...defaultDocument(), uploads: [note] } };
  assert.deepEqual(fromLines(toLines(kept)).kept.document.uploads, [note]);
  for (const broken of [null, {}, { ...run, text: [] }, { ...run, text: "one" }, { ...run, layers: "all" }]) {
    const lines = toLines({ ...kept, document: { ...kept.document, uploads: [/** @type {any} */ ({ ...note, run: broken })] } });
    assert.deepEqual(fromLines(lines).unread, ["document.uploads"]);
  }
});

test("files that belong together are sent together", () => {
  const names = (/** @type {string[]} */ ...all) => formsOf(all.map((name) => new File([], name))).map((form) => form.map(({ name }) => name));
  assert.deepEqual(names("a.csv", "b.npy"), [["a.csv"], ["b.npy"]]);
  assert.deepEqual(names("config.json", "x.npy", "model.safetensors"), [["x.npy"], ["model.safetensors", "config.json"]]);
  assert.deepEqual(names("m-1.safetensors", "model.safetensors.index.json", "m-2.safetensors", "config.json"), [["m-1.safetensors", "model.safetensors.index.json", "m-2.safetensors", "config.json"]]);
  assert.deepEqual(names("config.json"), [["config.json"]]);
});
