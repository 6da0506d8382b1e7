/** Which stages come from x and which from memory, and what the order of memory's tokens changes. */

import { fetchDifferences } from "../../api/lesson.js";
import { t } from "../../strings.js";
import { stageName } from "../names.js";
import { sizeOf } from "./context.js";
import { note, shortened, table, verdict } from "./tables.js";

/** @typedef {import("../../strings.js").Key} Key */

const STAGES = ["q", "k", "v", "scores", "weights", "output"];
/** Where the rows and columns of each come from. */
const FROM = /** @type {Record<string, Key>} */ ({ q: "lesson.cross.x", k: "lesson.cross.memory", v: "lesson.cross.memory", scores: "lesson.cross.both", weights: "lesson.cross.both", output: "lesson.cross.x" });

/** @type {import("./context.js").Evidence<Record<string, number> | null>} */
export const CROSS = {
  ask: ({ spec }, signal) => {
    if (!Array.isArray(spec.memory)) return Promise.resolve(null);
    return fetchDifferences(spec, { ...spec, memory: reversed(spec.memory) }, signal);
  },
  show: (found, context) => {
    const { T, S } = sizeOf(context);
    if (!found) return [verdict(t("lesson.cross.self", { T, S }))];
    const shapes = Object.fromEntries(context.answer.steps.map(({ name, shape }) => [name, `[${shape.join(", ")}]`]));
    return [
      verdict(t("lesson.cross.verdict", { T, S, k: shortened(found.k), output: shortened(found.output) }), { q: found.q, k: found.k, output: found.output }),
      table(
        t("lesson.cross.table"),
        [t("lesson.shapes.stage"), t("lesson.cross.from"), t("lesson.shapes.shape"), t("lesson.cross.reversed")],
        STAGES.map((name) => [stageName(name), t(FROM[name]), shapes[name] ?? "", found[name]]),
      ),
      note(t("lesson.cross.note")),
    ];
  },
};

/**
 * The tokens in reverse, of one sequence or of each.
 * @param {any[]} memory
 * @returns {any[]}
 */
function reversed(memory) {
  return Array.isArray(memory[0][0]) ? memory.map(reversed) : [...memory].reverse();
}
