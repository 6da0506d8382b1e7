/** What follows from q and k alone, and what from v: the run again with some of its vectors in other places. */

import { asHeads, fetchDifferences, swapped, tokensChanged } from "../../api/lesson.js";
import { fetchAttention } from "../../api/client.js";
import { t } from "../../strings.js";
import { TabRefusal } from "../tab_request.js";
import { stageName } from "../names.js";
import { MOST_CELLS, labelOf, sizeOf } from "./context.js";
import { shortened, table, verdict } from "./tables.js";

/** @typedef {import("./context.js").Context} Context */
/** @typedef {Record<string, number>} Differences by stage */

const STAGES = ["scores", "weights", "heads"];

/**
 * The run with q, k and v given as they entered the dot product.
 * @param {Context} context
 * @param {AbortSignal} signal
 */
async function givenHeads(context, signal) {
  if (sizeOf(context).cells > MOST_CELLS) throw new TabRefusal(t("lesson.tooLarge", { most: MOST_CELLS }));
  const { tensors } = await fetchAttention(context.spec, ["q", "k", "v"], signal);
  return asHeads(context.spec, tensors);
}

/** @type {import("./context.js").Evidence<{values: Differences, keys: Differences}>} */
export const MATCH_AND_MIX = {
  ask: async (context, signal) => {
    const a = await givenHeads(context, signal);
    const turned = (/** @type {"k" | "v"} */ name) => ({ ...a, [name]: tokensChanged(a[name], (tokens) => [...tokens].reverse()) });
    const [values, keys] = await Promise.all([fetchDifferences(a, turned("v"), signal), fetchDifferences(a, turned("k"), signal)]);
    return { values, keys };
  },
  show: ({ values, keys }) => [
    verdict(t("lesson.match.verdict", { weights: shortened(values.weights), heads: shortened(values.heads) }), { weights: values.weights, heads: values.heads }),
    table(t("lesson.match.table"), [t("lesson.change"), ...STAGES.map(stageName)], [
      [t("lesson.match.values"), ...STAGES.map((name) => values[name])],
      [t("lesson.match.keys"), ...STAGES.map((name) => keys[name])],
    ]),
  ],
};

/** @type {import("./context.js").Evidence<Differences>} */
export const MIXING = {
  ask: async (context, signal) => {
    const a = await givenHeads(context, signal);
    return fetchDifferences(a, { ...a, k: tokensChanged(a.k, swapped) }, signal);
  },
  show: (found, context) => {
    const { S } = sizeOf(context);
    const [first, second] = [0, Math.min(1, S - 1)].map((key) => labelOf(context, "keys", key));
    const text = t("lesson.mixing.verdict", { first, second, weights: shortened(found.weights), heads: shortened(found.heads) });
    return [
      verdict(text, { weights: found.weights, heads: found.heads }),
      table(t("lesson.mixing.table"), [t("lesson.change"), ...STAGES.map(stageName)], [[t("lesson.mixing.swapped", { first, second }), ...STAGES.map((name) => found[name])]]),
    ];
  },
};
