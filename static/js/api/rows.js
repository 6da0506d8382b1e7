/** The answer of POST /api/rows: what each head does, as means over its rows. */

import { decodeTyped } from "../tensors.js";

/**
 * @param {any} answer
 * @returns {{head: number, means: Record<string, {value: number, single: boolean}>}[]}
 */
export function rowMeans({ heads, means }) {
  const found = Object.entries(means).map(([name, values]) => /** @type {const} */ ([name, decodeTyped(values)]));
  return heads.map((/** @type {number} */ head, /** @type {number} */ index) => ({
    head,
    means: Object.fromEntries(found.map(([name, { data, dtype }]) => [name, { value: data[index], single: dtype === "f4" }])),
  }));
}
