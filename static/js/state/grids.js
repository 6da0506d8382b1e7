/** The grids of a document by name: x and memory, or one head of q, k or v, each as a block. */

import { headCounts } from "./dimensions.js";
import { resize } from "./blocks.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Block} Block */
/** @typedef {import("./types.js").GivenItem} GivenItem */
/** @typedef {"x" | "memory" | "q" | "k" | "v"} GridName */
/** @typedef {{name: GridName, item: number, head: number}} GridPlace which sequence, and for q k v which head */
/** @typedef {(block: Block) => Block} BlockEdit */

/**
 * @param {Document} document
 * @returns {GridName[]}
 */
export function gridNames({ input }) {
  if (input.kind === "heads") return ["q", "k", "v"];
  return input.cross ? ["x", "memory"] : ["x"];
}

/**
 * @param {Document} document
 * @param {GridName} name
 * @returns {number} how many heads the grid shows one of; 0 for token vectors
 */
export function gridHeads(document, name) {
  const { H, K } = headCounts(document);
  return { x: 0, memory: 0, q: H, k: K, v: K }[name];
}

/**
 * @param {Document} document
 * @param {GridPlace} place
 * @returns {Block}
 */
export function blockAt({ input }, { name, item, head }) {
  if (name === "x") return input.sequences[item].tokens;
  if (name === "memory") return input.sequences[item].memory;
  const given = input.given[item];
  const labels = name === "q" || !input.cross ? given.queries : given.keys;
  return given[name][head].map((cells, row) => ({ label: labels[row] ?? "", cells }));
}

/**
 * Change the cells of one grid, and make every other place agree with its new shape: the same
 * width in all sequences and heads, the same tokens in all heads.
 * @param {Document} document
 * @param {GridPlace} place
 * @param {BlockEdit} edit
 * @returns {Document}
 */
export function editBlock(document, place, edit) {
  const block = edit(blockAt(document, place));
  if (block.length === 0 || block[0].cells.length === 0) return document;
  return place.name === "x" || place.name === "memory"
    ? withVectors(document, place, block)
    : withHead(document, place, block);
}

/**
 * @param {Document} document
 * @param {GridPlace} place
 * @param {Block} block
 * @returns {Document}
 */
function withVectors(document, { name, item }, block) {
  const part = name === "x" ? "tokens" : "memory";
  const width = block[0].cells.length;
  const sequences = document.input.sequences.map((sequence, index) => ({
    ...sequence,
    [part]: index === item ? block : resize(sequence[part], width),
  }));
  return { ...document, input: { ...document.input, sequences } };
}

/**
 * @param {Document} document
 * @param {GridPlace} place
 * @param {Block} block
 * @returns {Document}
 */
function withHead(document, { name, item, head }, block) {
  const { input } = document;
  const labelsOf = name === "q" || !input.cross ? "queries" : "keys";
  const given = input.given.map((other, index) => {
    const mine = index === item;
    const labels = mine ? block.map((row) => row.label) : fit(other[labelsOf], block.length, "");
    const shaped = { ...other, [labelsOf]: labels };
    for (const part of partsBeside(input.cross, name)) {
      const width = sharesWidth(name, /** @type {any} */ (part)) ? block[0].cells.length : other[part][0][0].length;
      shaped[part] = other[part].map((cells) => cells2d(cells, block.length, width));
    }
    if (mine) shaped[/** @type {"q"} */ (name)] = shaped[/** @type {"q"} */ (name)].map((cells, place) => (place === head ? block.map((row) => row.cells) : cells));
    return { ...shaped, keys: input.cross ? shaped.keys : fit(shaped.keys, block.length, "") };
  });
  return matchWidths({ ...document, input: { ...input, given } }, name, block[0].cells.length);
}

/**
 * The grids whose tokens are the same tokens: k and v always; q too in self-attention.
 * @param {boolean} cross
 * @param {GridName} name
 * @returns {("q" | "k" | "v")[]}
 */
export function partsBeside(cross, name) {
  if (!cross) return ["q", "k", "v"];
  return name === "q" ? ["q"] : ["k", "v"];
}

/**
 * q and k meet in a dot product, so they share a width; v has its own.
 * @param {GridName} one
 * @param {GridName} other
 */
function sharesWidth(one, other) {
  return (one === "v") === (other === "v");
}

/**
 * @param {Document} document
 * @param {GridName} name
 * @param {number} width
 * @returns {Document}
 */
function matchWidths(document, name, width) {
  if (name === "v") return document;
  const other = name === "q" ? "k" : "q";
  const given = document.input.given.map((item) => ({
    ...item,
    [other]: item[other].map((cells) => cells2d(cells, cells.length, width)),
  }));
  return { ...document, input: { ...document.input, given } };
}

/**
 * @param {string[][]} cells
 * @param {number} rows
 * @param {number} width
 */
function cells2d(cells, rows, width) {
  return fit(cells, rows, /** @type {string[]} */ ([])).map((row) => fit(row, width, "0"));
}

/**
 * @template T
 * @param {T[]} items
 * @param {number} length
 * @param {T} filling
 * @returns {T[]}
 */
function fit(items, length, filling) {
  return Array.from({ length }, (_, index) => items[index] ?? filling);
}
