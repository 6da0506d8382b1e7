/** Linear attention beside this run's softmax attention: the weights of some rows, and all differences. */

import { fetchLinear, fetchTiles } from "../../api/lesson.js";
import { t } from "../../strings.js";
import { wholeText } from "../../units.js";
import { TabRefusal } from "../tab_request.js";
import { MOST_CELLS, MOST_ROWS, labelOf, rowsOf, sizeOf } from "./context.js";
import { note, shortened, table, verdict } from "./tables.js";

/** @typedef {import("../../api/lesson.js").Linear} Linear */
/** @typedef {import("../../api/lesson.js").Tiles} Tiles */

/** @type {import("./context.js").Evidence<{linear: Linear, tiles: Tiles}>} */
export const LINEAR = {
  ask: async (context, signal) => {
    if (sizeOf(context).cells > MOST_CELLS) throw new TabRefusal(t("lesson.tooLarge", { most: MOST_CELLS }));
    const [linear, tiles] = await Promise.all([fetchLinear(context.spec, signal), fetchTiles(context.spec, 2, signal)]);
    return { linear, tiles };
  },
  show: ({ linear, tiles }, context) => {
    const { batch, head } = context.view;
    const { weights: apart, heads, reordered } = linear.max_abs_difference;
    const weights = rowsOf(context, "weights");
    const row = (/** @type {ArrayLike<number>} */ values) => Array.from(values).slice(0, MOST_ROWS).map(Number);
    const keys = Array.from(weights[0].slice(0, MOST_ROWS), (_, key) => labelOf(context, "keys", key));
    const lines = weights.slice(0, MOST_ROWS).flatMap((values, query) => {
      const label = labelOf(context, "queries", query);
      return [[`${label}: ${t("lesson.linear.softmax")}`, ...row(values)], [`${label}: ${t("lesson.linear.linear")}`, ...row(linear.weights[batch][head][query])]];
    });
    return [
      verdict(t("lesson.linear.verdict", { tiles: shortened(Number(tiles.max_abs_difference)), linear: shortened(Number(heads)) }), { tiles: String(tiles.max_abs_difference), heads: String(heads) }),
      table(t("lesson.linear.differences"), [t("lesson.linear.what"), t("lesson.flash.apart")], [
        [t("lesson.linear.tiles"), Number(tiles.max_abs_difference)],
        [t("lesson.linear.heads"), Number(heads)],
        [t("lesson.linear.weights"), Number(apart)],
        [t("lesson.linear.reordered"), reordered === null ? "–" : Number(reordered)],
      ]),
      table(t("lesson.linear.table"), [t("selected.query"), ...keys], lines),
      note(t(reordered === null ? "lesson.linear.noSum" : "lesson.linear.sum", { numbers: wholeText(linear.kept.numbers), cache: wholeText(linear.kept.cache) })),
    ];
  },
};
