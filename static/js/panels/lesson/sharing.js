/** Which KV head each query head reads, and what the cache of a model of such layers takes. */

import { fetchCosts } from "../../api/client.js";
import { h } from "../../dom.js";
import { t } from "../../strings.js";
import { isDark } from "../../theme.js";
import { bytesText, wholeText } from "../../units.js";
import { showByteBars } from "../byte_bars.js";
import { headMap } from "../heads.js";
import { note, table, verdict } from "./tables.js";

/** @typedef {import("../../api/costs.js").Costs} Costs */

/** A model that is often met: its cache for one sequence. */
const MODEL = { layers: 32, batch: 1, length: 4096, dtype: "float16" };

/** @type {import("./context.js").Evidence<Costs>} */
export const SHARING = {
  ask: ({ spec }, signal) => fetchCosts({ spec, cache: MODEL }, signal),
  show: ({ model_cache: cache }, { answer, document: content, view }) => {
    const { num_heads: H, num_kv_heads: K, kv_head_of: read, head_dim: D, value_dim: Dv } = answer.layout;
    const own = cache.bytes.gqa;
    const bars = h("div", { class: "byte-bars" });
    showByteBars(bars, { H, K }, cache.bytes, cache.bytes.mha);
    return [
      verdict(t("lesson.sharing.verdict", { H, K, group: H / K, own: bytesText(own), mha: bytesText(cache.bytes.mha) }), { own, mha: cache.bytes.mha, mqa: cache.bytes.mqa }),
      h("div", { class: "lesson-map" }, [headMap(content, isDark(view.theme))]),
      table(t("lesson.sharing.table"), ["h", ...read.slice(0, 16).map((_, head) => String(head))], [[`h ÷ ${H / K}`, ...read.slice(0, 16)]]),
      h("h4", { text: t("lesson.sharing.cache") }),
      bars,
      note(t("lesson.sharing.note", { layers: MODEL.layers, length: wholeText(MODEL.length), K, width: D + Dv })),
    ];
  },
};
