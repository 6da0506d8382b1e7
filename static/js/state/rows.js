/** Adding, removing and moving tokens, with everything that belongs to a token moving along. */

import { insertRow, move, removeAt } from "./blocks.js";
import { blockAt, editBlock, partsBeside } from "./grids.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./grids.js").GridPlace} GridPlace */
/** @typedef {{kind: "insert", at: number} | {kind: "remove", at: number} | {kind: "move", from: number, to: number}} RowEdit */

/**
 * @param {Document} document
 * @param {GridPlace} place
 * @param {RowEdit} edit
 * @returns {Document}
 */
export function editRows(document, place, edit) {
  if (edit.kind === "remove" && blockAt(document, place).length === 1) return document;
  const changed = place.name === "x" || place.name === "memory" ? vectors(document, place, edit) : heads(document, place, edit);
  return isKeySide(document, place) ? { ...changed, masks: keyMasks(changed.masks, place.item, edit) } : changed;
}

/**
 * @param {Document} document
 * @param {GridPlace} place
 * @param {RowEdit} edit
 */
function vectors(document, place, edit) {
  return editBlock(document, place, (block) =>
    edit.kind === "insert" ? insertRow(block, edit.at) : apply(block, edit, block[0]),
  );
}

/**
 * All heads of all sequences hold the same number of tokens, so adding and removing is for all.
 * @param {Document} document
 * @param {GridPlace} place
 * @param {RowEdit} edit
 * @returns {Document}
 */
function heads(document, { name, item }, edit) {
  const { input } = document;
  const labels = name === "q" || !input.cross ? "queries" : "keys";
  const given = input.given.map((other, index) => {
    if (edit.kind === "move" && index !== item) return other;
    const changed = { ...other, [labels]: apply(other[labels], edit, "") };
    if (!input.cross) changed.keys = apply(other.keys, edit, "");
    for (const part of partsBeside(input.cross, name)) {
      changed[part] = other[part].map((rows) => apply(rows, edit, rows[0].map(() => "0")));
    }
    return changed;
  });
  return { ...document, input: { ...input, given } };
}

/**
 * @param {Document} document
 * @param {GridPlace} place
 */
function isKeySide({ input }, { name }) {
  return input.cross ? name !== "x" && name !== "q" : true;
}

/**
 * Document ids and padding marks belong to tokens.
 * @param {Document["masks"]} masks
 * @param {number} item
 * @param {RowEdit} edit
 * @returns {Document["masks"]}
 */
function keyMasks(masks, item, edit) {
  /** @template T @param {T[][]} lists @param {T} filling */
  const at = (lists, filling) => lists.map((list, index) => (index === item ? apply(list, edit, list.at(-1) ?? filling) : list));
  return {
    ...masks,
    documents: { ...masks.documents, ids: at(masks.documents.ids, "0") },
    padding: { ...masks.padding, keep: at(masks.padding.keep, true) },
  };
}

/**
 * @template T
 * @param {T[]} items
 * @param {RowEdit} edit
 * @param {T} filling
 * @returns {T[]}
 */
function apply(items, edit, filling) {
  if (edit.kind === "insert") return [...items.slice(0, edit.at), filling, ...items.slice(edit.at)];
  if (edit.kind === "remove") return removeAt(items, edit.at);
  return edit.from < items.length && edit.to < items.length ? move(items, edit.from, edit.to) : items;
}
