/** The run token by token over a cache, for each number of KV heads: how far from the one pass, and what is kept. */

import { fetchDecoding } from "../../api/client.js";
import { t } from "../../strings.js";
import { bytesText } from "../../units.js";
import { TabRefusal } from "../tab_request.js";
import { MOST_CELLS, labelOf, sizeOf } from "./context.js";
import { code, note, shortened, table, verdict } from "./tables.js";

/** @typedef {import("./context.js").Context} Context */
/** @typedef {import("../../api/decoding.js").Decoding} Decoding */
/** @typedef {{own: Decoding, siblings: {K: number, decoding: Decoding}[]}} Found */

const MOST_STEPS = 12;

/** @type {import("./context.js").Evidence<Found>} */
export const DECODING = {
  ask: async (context, signal) => {
    if (sizeOf(context).cells > MOST_CELLS) throw new TabRefusal(t("lesson.tooLarge", { most: MOST_CELLS }));
    const decoded = (/** @type {Record<string, any>} */ change) => fetchDecoding({ spec: { ...context.spec, ...change }, prefill: 1, chunk: 1 }, signal);
    const [own, ...others] = await Promise.all([decoded({}), ...kvHeads(context).map((K) => decoded({ num_kv_heads: K }))]);
    return { own, siblings: kvHeads(context).map((K, index) => ({ K, decoding: others[index] })) };
  },
  show: ({ own, siblings }, context) => {
    const { T, H } = sizeOf(context);
    const kinds = siblings.map(({ K, decoding }) => [kindOf(H, K), K, worst(decoding), bytesText(decoding.frames[decoding.frames.length - 1].bytes)]);
    const most = worst(own);
    return [
      verdict(t("lesson.decoding.verdict", { T, steps: own.frames.length, difference: shortened(most) }), { difference: most }),
      ...(kinds.length ? [table(t("lesson.decoding.kinds"), [t("heads.kind"), "K", t("decode.largest"), t("lesson.decoding.cache")], kinds)] : []),
      table(
        t("lesson.decoding.table"),
        [t("selected.query"), t("lesson.decoding.projected"), t("lesson.decoding.scores"), t("lesson.decoding.keys"), t("lesson.decoding.cache"), t("decode.largest")],
        own.frames.slice(0, MOST_STEPS).map(({ position, queries, shape, bytes, difference }) => [labelOf(context, "queries", position), queries, code(`${queries} × ${shape[2]}`), code(`[${shape.join(", ")}]`), bytesText(bytes), difference]),
      ),
      note(t("lesson.decoding.note")),
    ];
  },
};

/**
 * Numbers of KV heads to decode with: where the projections are drawn, all kinds can be had.
 * @param {Context} context
 */
function kvHeads({ spec, answer }) {
  const { num_heads: H, num_kv_heads: K } = answer.layout;
  const drawn = "x" in spec && (spec.projection?.kind ?? "random") === "random";
  return drawn ? [...new Set([H, K, 1])].sort((one, other) => other - one) : [];
}

/**
 * @param {number} H
 * @param {number} K
 */
function kindOf(H, K) {
  return K === H ? "MHA" : K === 1 ? "MQA" : "GQA";
}

/** @param {Decoding} decoding */
function worst({ frames }) {
  return Math.max(...frames.map(({ difference }) => difference));
}
