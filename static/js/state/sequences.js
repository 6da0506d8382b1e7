/** Sequences of a batch and heads of an input: adding, removing, switching what is shown. */

import { divisors, headCounts } from "./dimensions.js";
import { removeAt } from "./blocks.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {"mha" | "gqa" | "mqa"} Kind */

/** Fields that stand in for the grids of one kind of input, with their labels. */
const ASIDE = ["x", "memory", "q", "k", "v", "tokens", "memory_tokens"];

/**
 * A copy of one sequence, put after it: a start that computes, to be changed from there.
 * @param {Document} document
 * @param {number} item
 * @returns {Document}
 */
export function addSequence(document, item) {
  const { input, masks } = document;
  /** @template T @param {T[]} list */
  const grown = (list) => [...list.slice(0, item + 1), ...list.slice(item, item + 1), ...list.slice(item + 1)];
  return withItems(document, {
    sequences: input.kind === "vectors" ? grown(input.sequences) : input.sequences,
    given: input.kind === "heads" ? grown(input.given) : input.given,
    masks: perSequence(masks, grown),
  });
}

/**
 * @param {Document} document
 * @param {number} item
 * @returns {Document}
 */
export function removeSequence(document, item) {
  const { input, masks } = document;
  const list = input.kind === "heads" ? input.given : input.sequences;
  if (list.length === 1) return document;
  return withItems(document, {
    sequences: input.kind === "vectors" ? removeAt(input.sequences, item) : input.sequences,
    given: input.kind === "heads" ? removeAt(input.given, item) : input.given,
    masks: perSequence(masks, (items) => removeAt(items, item)),
  });
}

/**
 * @param {Document} document
 * @param {{sequences: Document["input"]["sequences"], given: Document["input"]["given"], masks: Document["masks"]}} items
 * @returns {Document}
 */
function withItems(document, { sequences, given, masks }) {
  return { ...document, input: { ...document.input, sequences, given }, masks };
}

/**
 * @param {Document["masks"]} masks
 * @param {<T>(items: T[]) => T[]} change
 * @returns {Document["masks"]}
 */
function perSequence(masks, change) {
  const { padding, documents } = masks;
  return {
    ...masks,
    padding: { ...padding, lengths: change(padding.lengths), keep: change(padding.keep) },
    documents: { ...documents, ids: change(documents.ids) },
  };
}

/**
 * Switching to cross-attention starts the memory as a copy of the tokens, so there is a picture at once.
 * @param {Document} document
 * @param {boolean} cross
 * @returns {Document}
 */
export function setCross(document, cross) {
  if (cross === document.input.cross) return document;
  const { input } = document;
  const sequences = input.sequences.map((sequence) =>
    cross && sequence.memory.length === 0 ? { ...sequence, memory: sequence.tokens } : sequence,
  );
  const also = cross ? document.also : withoutFields(document.also, ["memory", "memory_tokens"]);
  return { ...document, input: { ...input, cross, sequences }, also };
}

/**
 * @param {Document} document
 * @returns {Kind}
 */
export function kindOf(document) {
  const { H, K } = headCounts(document);
  if (K === H) return "mha";
  return K === 1 ? "mqa" : "gqa";
}

/**
 * KV head counts that make H query heads grouped-query attention, neither one nor all.
 * @param {number} H
 */
export function groupedCounts(H) {
  return divisors(H).filter((count) => count !== 1 && count !== H);
}

/**
 * @param {Document} document
 * @param {Kind} kind
 * @returns {Document}
 */
export function setKind(document, kind) {
  const { H } = headCounts(document);
  const between = groupedCounts(H);
  const K = { mha: H, mqa: 1, gqa: between[Math.floor((between.length - 1) / 2)] ?? H }[kind];
  return withHeads(document, { num_kv_heads: String(K) });
}

/**
 * A new number of query heads keeps the kind of attention, as far as the number allows.
 * @param {Document} document
 * @param {string} text
 * @returns {Document}
 */
export function setQueryHeads(document, text) {
  const kind = kindOf(document);
  const changed = withHeads(document, { num_heads: text });
  const { H, K } = headCounts(changed);
  if (kind === "gqa" && H % K === 0 && K < H) return changed;
  return setKind(changed, kind);
}

/**
 * @param {Document} document
 * @param {Partial<Document["heads"]>} heads
 * @returns {Document}
 */
export function withHeads(document, heads) {
  const changed = { ...document, heads: { ...document.heads, ...heads } };
  return document.input.kind === "heads" ? fillHeads(changed) : changed;
}

/**
 * Heads given directly: enough of them for the counts, new ones copied from the first.
 * Those beyond the counts are kept, so that switching back brings them back.
 * @param {Document} document
 * @returns {Document}
 */
function fillHeads(document) {
  const { H, K } = headCounts(document);
  /** @param {import("./types.js").HeadCells} heads @param {number} count */
  const filled = (heads, count) => Array.from({ length: Math.max(count, heads.length) }, (_, head) => heads[head] ?? heads[0]);
  const given = document.input.given.map((item) => ({
    ...item,
    q: filled(item.q, H),
    k: filled(item.k, K),
    v: filled(item.v, K),
  }));
  return { ...document, input: { ...document.input, given } };
}

/**
 * Heads given directly and token vectors count heads together; both grids are kept. What stands aside in
 * place of the other kind of input goes, and a step back brings it back.
 * @param {Document} document
 * @param {"vectors" | "heads"} kind
 * @returns {Document}
 */
export function setInputKind(document, kind) {
  if (kind === document.input.kind) return document;
  const changed = { ...document, input: { ...document.input, kind }, also: withoutFields(document.also, ASIDE) };
  return kind === "heads" ? fillHeads(changed) : changed;
}

/**
 * The grid again, in place of what stood aside for it: q, k and v go together.
 * @param {Document} document
 * @param {"x" | "memory" | "q" | "k" | "v"} name
 * @returns {Document}
 */
export function useGrid(document, name) {
  const heads = ["q", "k", "v", "tokens", "memory_tokens"];
  const fields = { x: ["x", "tokens"], memory: ["memory", "memory_tokens"], q: heads, k: heads, v: heads }[name];
  const changed = { ...document, also: withoutFields(document.also, fields) };
  if (document.input.kind === "heads") return fillHeads(changed);
  const lacking = document.input.cross && name === "memory" && document.input.sequences.some(({ memory }) => memory.length === 0);
  return lacking ? setCross({ ...changed, input: { ...changed.input, cross: false } }, true) : changed;
}

/**
 * @param {Record<string, any>} also
 * @param {string[]} names
 */
function withoutFields(also, names) {
  return Object.fromEntries(Object.entries(also).filter(([name]) => !names.includes(name)));
}
