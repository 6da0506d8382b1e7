/** A row that sees no key under each policy, and which functions return what. */

import { fetchAttention } from "../../api/client.js";
import { blindQueries } from "../../api/lesson.js";
import { h } from "../../dom.js";
import { headRows } from "../../tensors.js";
import { t } from "../../strings.js";
import { labelOf, rowsOf } from "./context.js";
import { code, listText, note, table, verdict } from "./tables.js";

/** @typedef {import("../../api/answer.js").Answer} Answer */

/** Functions by what they return for such a row. */
const RETURNS = /** @type {const} */ ({
  zero: ["PyTorch scaled_dot_product_attention", "ONNX Attention"],
  nan: ["PyTorch nn.MultiheadAttention", "softmax(−∞, …, −∞)"],
  uniform: ["jax.nn.dot_product_attention", "Hugging Face eager"],
});
const POLICIES = /** @type {(keyof typeof RETURNS)[]} */ (Object.keys(RETURNS));
const MOST_SHOWN = 6;

/** @type {import("./context.js").Evidence<Answer[]>} */
export const BLIND = {
  ask: ({ spec }, signal) => Promise.all(POLICIES.map((fully_masked) => fetchAttention({ ...spec, fully_masked }, ["weights", "heads"], signal))),
  show: (found, context) => {
    const blind = blindQueries(rowsOf(context, "allowed"));
    if (blind.length === 0) return [verdict(t("lesson.blind.none"), { blind: 0 })];
    const { batch, head } = context.view;
    const rows = POLICIES.map((policy, index) => {
      const row = (/** @type {"weights" | "heads"} */ name) => listText(headRows(found[index].tensors[name], batch, head)[blind[0]].slice(0, MOST_SHOWN));
      return [t(`advanced.fullyMasked.${policy}`), h("span", {}, RETURNS[policy].map((name) => h("code", { class: "line", text: name }))), code(row("weights")), code(row("heads"))];
    });
    const labels = blind.map((query) => labelOf(context, "queries", query)).slice(0, MOST_SHOWN);
    return [
      verdict(t("lesson.blind.verdict", { count: blind.length, queries: labels.join(t("list.comma")) }), { blind: blind.length }),
      table(t("lesson.blind.table"), [t("lesson.blind.weights"), t("lesson.blind.who"), t("lesson.blind.row"), "z"], rows, "is-frameworks"),
      note(t("lesson.blind.note")),
    ];
  },
};
