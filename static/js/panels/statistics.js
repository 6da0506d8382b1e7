/** What a head does, in four numbers: each with its name, its meaning as a tip, and all its digits as another. */

import { h } from "../dom.js";
import { brief, exact } from "../numbers.js";
import { STATISTICS } from "../state/stages.js";
import { t } from "../strings.js";

/**
 * @param {(name: typeof STATISTICS[number]) => {value: number, single: boolean} | null} of null where it has not come
 * @returns {HTMLElement[]} for a list of terms
 */
export function statisticEntries(of) {
  return STATISTICS.flatMap((name) => {
    const found = of(name);
    if (!found) return [];
    const { value, single } = found;
    const shown = h("dd", { text: Number.isNaN(value) ? "NaN" : brief(value), title: exact(value, single) });
    return [h("div", { title: t(`statistic.${name}.says`) }, [h("dt", { text: t(`statistic.${name}`) }), shown])];
  });
}
