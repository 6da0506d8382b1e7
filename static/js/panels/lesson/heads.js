/** Heads are cut out of one wide projection: the same q, other weights, the same number of parameters. */

import { fetchAttention, fetchCosts } from "../../api/client.js";
import { joined, largestDifference } from "../../api/lesson.js";
import { headRows } from "../../tensors.js";
import { t } from "../../strings.js";
import { wholeText } from "../../units.js";
import { shapeTable } from "./shapes.js";
import { sizeOf } from "./context.js";
import { code, shortened, table, verdict } from "./tables.js";

/** @typedef {import("../../api/answer.js").Answer} Answer */
/** @typedef {import("../../api/costs.js").Costs} Costs */
/** @typedef {{runs: Answer[], costs: Costs[]} | null} Found this run, and one head as wide as all; null where heads are given */

/** @type {import("./context.js").Evidence<Found>} */
export const HEADS = {
  ask: async ({ spec, answer }, signal) => {
    if (!("x" in spec)) return null;
    const { num_heads: H, head_dim: D, value_dim: Dv } = answer.layout;
    const wide = { ...spec, num_heads: 1, num_kv_heads: 1, head_dim: H * D, value_dim: H * Dv, sinks: null, qk_norm: null, rope: null };
    const specs = [{ ...spec, qk_norm: null, rope: null }, wide];
    const [runs, costs] = await Promise.all([Promise.all(specs.map((run) => fetchAttention(run, ["q", "weights"], signal))), Promise.all([spec, wide].map((run) => fetchCosts({ spec: run }, signal)))]);
    return { runs, costs };
  },
  show: (found, context) => {
    const { answer, view } = context;
    if (!found) return [verdict(t("lesson.heads.given")), shapeTable(answer.steps)];
    const { H } = sizeOf(context);
    const { head_dim: D, value_dim: Dv } = answer.layout;
    const [own, one] = found.runs;
    const apart = largestDifference(joined(own.tensors.q, view.batch), headRows(one.tensors.q, view.batch, 0));
    const line = (/** @type {number} */ index, /** @type {number} */ heads, /** @type {number} */ width) => {
      const { siblings, steps } = found.costs[index];
      const { parameters } = heads === 1 ? siblings.mha : siblings.gqa;
      return [heads, code(`[${steps[0].shape.join(", ")}]`), code(`[${(steps.find(({ name }) => name === "scores")?.shape ?? []).join(", ")}]`), width, wholeText(parameters)];
    };
    return [
      verdict(t("lesson.heads.verdict", { H, D, difference: shortened(apart) }), { difference: apart }),
      table(t("lesson.heads.table"), ["H", "q", "q kᵀ", "D", t("lesson.heads.parameters")], [line(0, H, D), ...(H > 1 ? [line(1, 1, H * D)] : [])]),
      table(
        t("lesson.heads.columns"),
        [t("compare.head", { head: "h" }), t("lesson.heads.cut"), t("lesson.heads.merged")],
        Array.from({ length: Math.min(H, 8) }, (_, head) => [`H${head}`, code(`${head * D} … ${(head + 1) * D - 1}`), code(`${head * Dv} … ${(head + 1) * Dv - 1}`)]),
      ),
      shapeTable(answer.steps),
    ];
  },
};
