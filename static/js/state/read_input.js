/** The input fields of a specification as grids: x and memory, or q, k and v. */

import { cellValue } from "../numbers.js";
import { cellsOf } from "./read_tensor.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Specification} Specification */

const INPUT_FIELDS = ["x", "memory", "q", "k", "v", "tokens", "memory_tokens"];

/**
 * The document with the grids filled, and the fields that were understood. Where a grid cannot
 * hold the input, all its fields stay aside, and only the kind of input is taken.
 * @param {Document} document
 * @param {Specification} spec
 * @returns {{document: Document, read: string[]}}
 */
export function readInput(document, spec) {
  const given = spec.q !== undefined ? readGiven(document, spec) : readVectors(document, spec);
  return given ? { document: given, read: INPUT_FIELDS } : { document: { ...document, input: { ...document.input, ...kindOf(spec) } }, read: [] };
}

/**
 * @param {Specification} spec
 * @returns {Pick<Document["input"], "kind" | "cross">}
 */
function kindOf(spec) {
  return { kind: spec.q === undefined ? "vectors" : "heads", cross: spec.memory !== undefined || spec.memory_tokens !== undefined };
}

/**
 * @param {Document} document
 * @param {Specification} spec
 * @returns {Document | null}
 */
function readVectors(document, spec) {
  if (["q", "k", "v"].some((name) => spec[name] !== undefined)) return null;
  const x = cellsOf(spec.x, 2, 3);
  const cross = spec.memory !== undefined;
  const memory = cross ? cellsOf(spec.memory, 2, 3) : [];
  if (!x || !memory || (cross && memory.length !== x.length)) return null;
  const tokens = blocks(x, spec.tokens);
  const memories = cross ? blocks(memory, spec.memory_tokens) : tokens?.map(() => []);
  if (!tokens || !memories || (!cross && spec.memory_tokens !== undefined)) return null;
  const sequences = tokens.map((block, item) => ({ tokens: block, memory: memories[item] }));
  return { ...document, input: { ...document.input, kind: "vectors", cross, sequences } };
}

/**
 * @param {string[][][]} cells
 * @param {unknown} labels
 * @returns {import("./types.js").Block[] | null}
 */
function blocks(cells, labels) {
  const lists = labelLists(labels, cells.length, cells[0].length);
  return lists && cells.map((rows, item) => rows.map((row, index) => ({ label: lists[item][index], cells: row })));
}

/**
 * @param {Document} document
 * @param {Specification} spec
 * @returns {Document | null}
 */
function readGiven(document, spec) {
  if (spec.x !== undefined || spec.memory !== undefined) return null;
  const [q, k, v] = [spec.q, spec.k, spec.v].map((value) => cellsOf(value, 2, 4));
  if (!q || !k || !v || k.length !== q.length || v.length !== q.length) return null;
  if (v[0].length !== k[0].length || v[0][0].length !== k[0][0].length) return null;
  const [T, S] = [q[0][0].length, k[0][0].length];
  const queries = labelLists(spec.tokens, q.length, T);
  const keys = labelLists(spec.memory_tokens, q.length, S);
  if (!queries || !keys) return null;
  const given = q.map((heads, item) => ({ queries: queries[item], keys: keys[item], q: heads, k: k[item], v: v[item] }));
  return {
    ...document,
    input: { ...document.input, kind: "heads", cross: spec.memory_tokens !== undefined || T !== S, given },
    heads: { ...document.heads, num_heads: String(q[0].length), num_kv_heads: String(k[0].length) },
  };
}

/**
 * One list of labels per sequence; the default label of a place is kept as "".
 * @param {unknown} labels
 * @param {number} B
 * @param {number} length
 * @returns {string[][] | null} null for a wrong count, which the server refuses with both numbers
 */
function labelLists(labels, B, length) {
  if (labels === undefined || labels === null) return Array.from({ length: B }, () => Array(length).fill(""));
  if (!Array.isArray(labels)) return null;
  const lists = Array.isArray(labels[0]) ? labels : Array.from({ length: B }, () => labels);
  if (lists.length !== B || lists.some((list) => !Array.isArray(list) || list.length !== length)) return null;
  return lists.map((list) => list.map((/** @type {any} */ label, /** @type {number} */ index) => (label === `t${index}` ? "" : String(label))));
}

/**
 * Take the filling off sequences again, where the padding mask says which tokens it is and all
 * of it is zeros under one label; otherwise the tokens stay and null is returned.
 * @param {Document} document
 * @param {boolean[][]} keep [B][S]
 * @returns {Document | null}
 */
export function unpad(document, keep) {
  const { input } = document;
  if (input.kind !== "vectors" || keep.length < 2) return null;
  const part = input.cross ? "memory" : "tokens";
  const side = sideOf(keep);
  const filling = input.sequences.flatMap((sequence, item) => sequence[part].filter((_, index) => !keep[item][index]));
  const labels = new Set(filling.map((row) => row.label));
  const zeros = filling.every((row) => row.cells.every((cell) => cellValue(cell) === 0));
  if (!side || !zeros || labels.size !== 1 || !keep.some((row) => row.every(Boolean))) return null;
  const sequences = input.sequences.map((sequence, item) => ({
    ...sequence,
    [part]: sequence[part].filter((_, index) => keep[item][index]),
  }));
  const pad_label = [...labels][0];
  return sequences.some((sequence) => sequence[part].length === 0)
    ? null
    : { ...document, input: { ...input, sequences, pad_side: side, pad_label } };
}

/**
 * The side all the filling is on, or null when it is on neither.
 * @param {boolean[][]} keep
 * @returns {"left" | "right" | null}
 */
export function sideOf(keep) {
  /** @param {boolean[]} row */
  const right = (row) => row.every((real, index) => real || !row.slice(index).includes(true));
  if (keep.every(right)) return "right";
  return keep.every((row) => right([...row].reverse())) ? "left" : null;
}
