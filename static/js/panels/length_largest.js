/** The pair with the largest number among those that a cell of a long run's picture stands for. */

import { fetchJson } from "../api/client.js";
import { toSpec } from "../state/to_spec.js";
import { decodeTyped } from "../tensors.js";

/** @typedef {import("../state/length.js").Range} Range */

/**
 * Asked of the server once more, each pair by itself; of masks, the largest weight.
 * @param {import("../length_source.js").Subject} subject
 * @param {{rows: Range, cols: Range}} cell
 */
export async function largestPair({ document, stage, batch, head }, { rows, cols }) {
  const of = stage === "allowed" ? "weights" : stage;
  const [tall, wide] = [rows[1] - rows[0], cols[1] - cols[0]];
  const answer = await fetchJson("api/view?encoding=base64", { spec: toSpec(document), stage: of, batch, head, rows, cols, max_rows: tall, max_cols: wide });
  const { data } = decodeTyped(answer.z);
  let best = 0;
  for (let index = 1; index < data.length; index += 1) if (data[index] > data[best] || Number.isNaN(data[best])) best = index;
  return { query: rows[0] + Math.floor(best / wide), key: cols[0] + (best % wide) };
}
