/** Where an error belongs: from a place in the specification to a control or a cell of the page. */

import { keyLengths, queryLengths } from "../state/dimensions.js";
import { biasList, maskList } from "../state/mask_list.js";

/** @typedef {import("../state/types.js").Document} Document */
/** @typedef {{grid: string, item: number, head: number, row: number, column: number}} CellPlace -1 where the error is about more than one */
/** @typedef {{path: string, cell?: CellPlace}} Field */

/** Specification fields whose control is named otherwise. */
const PATHS = /** @type {Record<string, string>} */ ({
  num_heads: "heads.num_heads",
  num_kv_heads: "heads.num_kv_heads",
  head_dim: "heads.head_dim",
  value_dim: "heads.value_dim",
  tokens: "input.tokens",
  memory_tokens: "input.memory",
});

const SETTINGS = ["scale", "softcap", "fill", "mask_order", "fully_masked", "projection", "rope", "qk_norm", "sinks", "dropout", "dtype"];
const GRIDS = ["x", "memory", "q", "k", "v"];

/**
 * The state path an error's `loc` speaks of, as dotted as the controls name it.
 * @param {(string | number)[]} loc
 * @param {Document} document the one that was sent
 * @returns {Field}
 */
export function fieldOf(loc, document) {
  const [name, ...rest] = loc;
  if (typeof name !== "string") return { path: "" };
  if (name in document.also && name !== "masks" && name !== "biases") return { path: `also.${name}` };
  if (GRIDS.includes(name)) return { path: `input.${name}`, cell: cellPlace(name, rest, document) };
  if (name === "masks") return { path: join(maskList(document)[Number(rest[0])]?.path ?? "masks", rest.slice(1)) };
  if (name === "biases") return { path: join(biasList(document)[Number(rest[0])]?.path ?? "biases", rest.slice(1)) };
  if (SETTINGS.includes(name)) return { path: join(`settings.${name}`, rest) };
  return { path: PATHS[name] ?? name };
}

/**
 * @param {string} path
 * @param {(string | number)[]} rest
 */
function join(path, rest) {
  return [path, ...rest].join(".");
}

/**
 * `loc` counts the axes that were sent; the cell is named by sequence, head, row and column,
 * the row without the filling on its left.
 * @param {string} name
 * @param {(string | number)[]} rest
 * @param {Document} document
 * @returns {CellPlace}
 */
function cellPlace(name, rest, document) {
  const indices = rest.map(Number);
  const { input, heads } = document;
  const vectors = name === "x" || name === "memory";
  const batch = (vectors ? input.sequences : input.given).length;
  const stacked = !vectors && (batch > 1 || Number(name === "q" ? heads.num_heads : heads.num_kv_heads) > 1);
  const item = batch > 1 ? (indices.shift() ?? -1) : 0;
  const head = stacked ? (indices.shift() ?? -1) : 0;
  const [row = -1, column = -1] = indices;
  return { grid: name, item, head, row: row - filling(name, item, document), column };
}

/**
 * @param {string} name
 * @param {number} item
 * @param {Document} document
 */
function filling(name, item, document) {
  if (document.input.pad_side === "right" || item < 0) return 0;
  const lengths = name === "memory" ? keyLengths(document) : queryLengths(document);
  return Math.max(...lengths) - lengths[item];
}
