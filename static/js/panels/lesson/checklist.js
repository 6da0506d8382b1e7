/** What to ask of a new variant, each question answered for the run on show. */

import { fetchCosts } from "../../api/client.js";
import { blindQueries, fetchLinear, fetchTiles, sumOf } from "../../api/lesson.js";
import { t } from "../../strings.js";
import { formulaText } from "../../strings/server.js";
import { bytesText, countText, wholeText } from "../../units.js";
import { MOST_CELLS, rowsOf, sizeOf } from "./context.js";
import { shortened, table } from "./tables.js";

/** @typedef {import("./context.js").Context} Context */
/** @typedef {import("../../api/costs.js").Costs} Costs */
/** @typedef {{costs: Costs, tiles: number | null, linear: number | null}} Found the largest differences, where they are asked for */
/** @typedef {(context: Context, found: Found) => string} Answering */

/** @type {import("./context.js").Evidence<Found>} */
export const CHECKLIST = {
  ask: async (context, signal) => {
    const { spec } = context;
    const costs = await fetchCosts({ spec }, signal);
    if (sizeOf(context).cells > MOST_CELLS) return { costs, tiles: null, linear: null };
    const [tiles, linear] = await Promise.all([fetchTiles(spec, 8, signal), fetchLinear(spec, signal)]);
    return { costs, tiles: Number(tiles.max_abs_difference), linear: Number(linear.max_abs_difference.heads) };
  },
  show: (found, context) => {
    const rows = Object.entries(ANSWERS).map(([name, answer]) => [t(/** @type {import("../../strings.js").Key} */ (`lesson.ask.${name}`)), answer(context, found)]);
    return [table(t("lesson.ask.table"), [t("lesson.ask.question"), t("lesson.ask.answer")], rows, "is-prose")];
  },
};

const ANSWERS = /** @type {Record<string, Answering>} */ ({
  source: ({ spec, answer }) => {
    const from = "q" in spec ? "given" : answer.layout.cross ? "cross" : "self";
    const cached = answer.steps.find(({ name }) => name === "k")?.formula.startsWith("concat(past_");
    return sentences([t(`lesson.ask.source.${from}`), ...(cached ? [t("lesson.ask.source.cache")] : [])]);
  },
  heads: ({ answer }) => {
    const { num_heads: H, num_kv_heads: K, kind } = answer.layout;
    return t(K === H ? "lesson.ask.heads.own" : "lesson.ask.heads.shared", { H, K, kind: kind.toUpperCase(), group: H / K });
  },
  widths: ({ answer }) => {
    const { head_dim: D, value_dim: Dv } = answer.layout;
    const output = answer.steps.find(({ name }) => name === "output")?.shape ?? [];
    return t("lesson.ask.widths.is", { D, Dv, E: output[output.length - 1] });
  },
  positions: ({ spec }) => {
    const bias = (spec.biases ?? []).some((/** @type {any} */ each) => each.kind === "alibi");
    const found = [...(spec.rope ? [t("lesson.ask.positions.rope", { style: t(`advanced.style.${/** @type {"half"} */ (spec.rope.style)}`), base: spec.rope.base ?? 10000 })] : []), ...(bias ? [t("lesson.ask.positions.alibi")] : [])];
    return sentences(found.length ? found : [t("lesson.ask.positions.none")]);
  },
  norm: ({ spec }) => t(spec.qk_norm ? "lesson.ask.norm.yes" : "lesson.ask.norm.no"),
  scores: ({ spec, answer }) => {
    const { head_dim: D } = answer.layout;
    const scale = spec.scale === undefined ? t("lesson.ask.scores.root", { D, scale: shortened(D ** -0.5) }) : t("lesson.ask.scores.scale", { scale: spec.scale });
    const biases = (spec.biases ?? []).length;
    return sentences([scale, ...(spec.softcap ? [t("lesson.ask.scores.softcap", { c: spec.softcap })] : []), ...(biases ? [t("lesson.ask.scores.biases", { count: biases })] : [])]);
  },
  masks: ({ answer }) => {
    const masks = answer.masks.map(({ description }) => formulaText(description));
    return masks.length ? masks.join(t("list.semicolon")) : t("says.noMask");
  },
  order: ({ spec }) => t(spec.mask_order === "after_softmax" ? "lesson.ask.order.after" : "lesson.ask.order.before", { fill: spec.fill === undefined || spec.fill === "-Infinity" ? "−∞" : String(spec.fill) }),
  blind: (context) => {
    const count = blindQueries(rowsOf(context, "allowed")).length;
    const policy = t(`advanced.fullyMasked.${/** @type {"zero"} */ (context.spec.fully_masked ?? "zero")}`);
    return t(count ? "lesson.ask.blind.some" : "lesson.ask.blind.none", { count, policy });
  },
  sums: (context) => {
    const sums = rowsOf(context, "weights").map(sumOf);
    const values = { least: shortened(Math.min(...sums)), most: shortened(Math.max(...sums)) };
    return sentences([t("lesson.ask.sums.are", values), ...(context.spec.sinks ? [t("lesson.ask.sums.sinks")] : [])]);
  },
  training: ({ spec }) => (spec.dropout ? t("lesson.ask.training.dropout", { p: spec.dropout.p }) : t("lesson.ask.training.none")),
  cache: ({ answer, spec }, { costs }) => {
    const { num_kv_heads: K, num_heads: H, head_dim: D, value_dim: Dv } = answer.layout;
    const { shape } = /** @type {{shape: number[]}} */ (answer.steps.find(({ name }) => name === "k"));
    return t("lesson.ask.cache.is", { K, width: D + Dv, bytes: bytesText(costs.kv_cache.gqa / (shape[0] * shape[2])), dtype: spec.dtype ?? "float32", H });
  },
  growth: (_, { costs }) => {
    const flops = countText(costs.steps.reduce((sum, step) => sum + step.flops, 0));
    return costs.crossover_length === null ? t("lesson.ask.growth.given", { flops }) : t("lesson.ask.growth.is", { flops, N: wholeText(costs.crossover_length) });
  },
  definition: (_, { tiles, linear }) => {
    if (tiles === null || linear === null) return t("lesson.ask.definition.plain");
    return t("lesson.ask.definition.measured", { tiles: shortened(tiles), linear: shortened(linear) });
  },
});

/** @param {string[]} parts */
function sentences(parts) {
  return parts.join(t("lesson.ask.join"));
}
