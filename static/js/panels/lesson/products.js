/** Every product of a small run, written out: q·k, the scale, the softmax, and the values' mix. */

import { fetchAttention } from "../../api/client.js";
import { sumOf } from "../../api/lesson.js";
import { h } from "../../dom.js";
import { headRows } from "../../tensors.js";
import { t } from "../../strings.js";
import { stageName } from "../names.js";
import { MOST_ROWS, labelOf, rowsOf, sizeOf } from "./context.js";
import { code, note, shortened, table } from "./tables.js";

/** @typedef {import("./context.js").Context} Context */
/** @typedef {import("../../tensors.js").Tensor} Tensor */
/** @typedef {import("../../tensors.js").Numbers} Numbers */
/** @typedef {{q: Tensor, k: Tensor, v: Tensor, dot_products: Tensor, masked_scores: Tensor, heads: Tensor}} Tensors */

/** Beyond so many cells only the pinned cell's row, or the first, is written out. */
const MOST_PRODUCTS = 36;
/** Longer vectors are not written out. */
const WIDEST = 6;

/** @type {import("./context.js").Evidence<Tensors>} */
export const BY_HAND = {
  ask: async ({ spec }, signal) => {
    const { tensors } = await fetchAttention(spec, ["q", "k", "v", "dot_products", "masked_scores", "heads"], signal);
    return /** @type {any} */ (tensors);
  },
  show: (found, context) => {
    const { T, S } = sizeOf(context);
    const own = Math.min(context.cell?.query ?? 0, T - 1);
    const queries = T * S <= MOST_PRODUCTS ? Array.from({ length: T }, (_, query) => query) : [own];
    const keys = Array.from({ length: Math.min(S, MOST_ROWS) }, (_, key) => key);
    const left = queries.length < T || keys.length < S;
    return [
      h("h4", { text: t("lesson.hand.scores") }),
      scoresTable(found, context, queries, keys),
      h("h4", { text: t("lesson.hand.outputs") }),
      outputsTable(found, context, queries, keys),
      note(t(left ? "lesson.hand.part" : "lesson.hand.whole")),
    ];
  },
};

/**
 * @param {Tensors} found
 * @param {Context} context
 * @param {number[]} queries
 * @param {number[]} keys
 */
function scoresTable(found, context, queries, keys) {
  const { answer, view } = context;
  const head = (/** @type {Tensor} */ tensor, at = view.head) => headRows(tensor, view.batch, at);
  const [q, k] = [head(found.q), head(found.k, answer.layout.kv_head_of[view.head])];
  const [dots, masked] = [head(found.dot_products), head(found.masked_scores)];
  const [scores, weights] = [rowsOf(context, "scores"), rowsOf(context, "weights")];
  const rows = queries.flatMap((i) =>
    keys.map((j) => [`${labelOf(context, "queries", i)} → ${labelOf(context, "keys", j)}`, code(productsText(q[i], k[j])), dots[i][j], scores[i][j], masked[i][j], weights[i][j]]),
  );
  return table(t("lesson.hand.scores"), [t("lesson.hand.pair"), t("lesson.hand.products"), "q · k", stageName("scores"), stageName("masked_scores"), stageName("weights")], rows);
}

/**
 * @param {Tensors} found
 * @param {Context} context
 * @param {number[]} queries
 * @param {number[]} keys
 */
function outputsTable(found, context, queries, keys) {
  const { answer, view } = context;
  const v = headRows(found.v, view.batch, answer.layout.kv_head_of[view.head]);
  const heads = headRows(found.heads, view.batch, view.head);
  const weights = rowsOf(context, "weights");
  const rows = queries.flatMap((i) =>
    Array.from(heads[i].slice(0, WIDEST), (value, d) => [`${labelOf(context, "queries", i)}, ${d}`, code(productsText(weights[i], keys.map((j) => v[j][d]))), value, sumOf(weights[i])]),
  );
  return table(t("lesson.hand.outputs"), [t("lesson.hand.place"), t("lesson.hand.mix"), "z", t("lesson.rows.sum")], rows);
}

/**
 * 1 × 0 + 1 × 1, as far as it can be read.
 * @param {ArrayLike<number>} one
 * @param {ArrayLike<number>} other
 */
function productsText(one, other) {
  const count = Math.min(one.length, other.length);
  const shown = Array.from({ length: Math.min(count, WIDEST) }, (_, d) => `${shortened(one[d])}×${shortened(other[d])}`);
  return shown.join(" + ") + (count > WIDEST ? " + …" : "");
}
