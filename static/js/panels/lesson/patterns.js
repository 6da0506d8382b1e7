/** What describes each head of a layer that nobody trained. */

import { statistic } from "../../figures/head_order.js";
import { STATISTICS } from "../../state/stages.js";
import { t } from "../../strings.js";
import { sizeOf } from "./context.js";
import { shortened, table, verdict } from "./tables.js";

const MOST_HEADS = 16;

/** @type {import("./context.js").Evidence<null>} */
export const PATTERNS = {
  ask: async () => null,
  show: (_, context) => {
    const { answer, view, spec } = context;
    const { H } = sizeOf(context);
    const numbers = STATISTICS.map((name) => Array.from(statistic(answer, name, view.batch) ?? [], Number));
    const largest = numbers[STATISTICS.indexOf("largest_weight")];
    const random = "x" in spec && (spec.projection?.kind ?? "random") === "random";
    const first = largest.length ? Math.max(...largest) : NaN;
    return [
      verdict(t(random ? "lesson.patterns.random" : "lesson.patterns.other", { head: largest.indexOf(first), largest: shortened(first) }), { largest: first }),
      table(
        t("lesson.patterns.table"),
        [t("selected.heads"), ...STATISTICS.map((name) => t(`statistic.${name}`))],
        Array.from({ length: Math.min(H, MOST_HEADS) }, (__, head) => [`H${head}`, ...numbers.map((values) => values[head])]),
      ),
    ];
  },
};
