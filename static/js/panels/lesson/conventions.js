/** One boolean array as PyTorch's two functions read it: what is visible, and what the weights become. */

import { fetchAttention } from "../../api/client.js";
import { blindQueries, fetchDifferences } from "../../api/lesson.js";
import { h } from "../../dom.js";
import { headRows } from "../../tensors.js";
import { t } from "../../strings.js";
import { MOST_ROWS } from "./context.js";
import { code, shortened, verdict } from "./tables.js";

/** @typedef {import("./context.js").Context} Context */
/** @typedef {import("../../api/answer.js").Answer} Answer */
/** @typedef {import("../../state/types.js").Specification} Specification */
/** @typedef {{runs: Answer[], weights: number}} Found allowed and blocked, and how far the weights are apart */

const READINGS = /** @type {const} */ ([
  ["allowed", "scaled_dot_product_attention"],
  ["blocked", "nn.MultiheadAttention"],
]);

/** @type {import("./context.js").Evidence<Found | null>} */
export const CONVENTIONS = {
  ask: async ({ spec }, signal) => {
    const index = placeOf(spec);
    if (index < 0) return null;
    const [a, b] = READINGS.map(([convention]) => ({ ...spec, masks: spec.masks.map((/** @type {any} */ mask, /** @type {number} */ at) => (at === index ? { ...mask, convention } : mask)) }));
    const [runs, differences] = await Promise.all([Promise.all([a, b].map((run) => fetchAttention(run, ["weights", "allowed"], signal))), fetchDifferences(a, b, signal)]);
    return { runs, weights: differences.weights };
  },
  show: (found, context) => {
    if (!found) return [verdict(t("lesson.conventions.none"))];
    const { batch, head } = context.view;
    const seen = found.runs.map(({ tensors }) => headRows(tensors.allowed, batch, head));
    const written = writtenRows(context.spec.masks[placeOf(context.spec)].values);
    const blind = seen.map((rows) => blindQueries(rows).length);
    const grids = [
      ...(written ? [grid(t("lesson.conventions.written"), "mask", written, (cell) => (cell ? "1" : "0"))] : []),
      ...READINGS.map(([convention, call], index) => grid(t(`lesson.conventions.${convention}`), call, seen[index], (cell) => (cell ? "✓" : "·"))),
    ];
    return [
      verdict(t("lesson.conventions.verdict", { weights: shortened(found.weights), allowed: blind[0], blocked: blind[1] }), { weights: found.weights, allowed: blind[0], blocked: blind[1] }),
      h("div", { class: "lesson-grids" }, grids),
    ];
  },
};

/**
 * The first boolean matrix among the masks.
 * @param {Specification} spec
 */
function placeOf({ masks = [] }) {
  return Array.isArray(masks) ? masks.findIndex(({ kind, convention }) => kind === "matrix" && convention !== "additive") : -1;
}

/**
 * @param {any} values
 * @returns {number[][] | null} null where the array has more axes, or stands elsewhere
 */
function writtenRows(values) {
  const plain = Array.isArray(values) && Array.isArray(values[0]) && !Array.isArray(values[0][0]);
  return plain ? values.map((row) => row.map(Number)) : null;
}

/**
 * @param {string} title
 * @param {string} call
 * @param {ArrayLike<number>[]} rows
 * @param {(cell: number) => string} sign
 */
function grid(title, call, rows, sign) {
  const shown = rows.slice(0, MOST_ROWS).map((row) => Array.from(row).slice(0, MOST_ROWS));
  const cells = h("div", { class: "lesson-cells", role: "img", "aria-label": `${title}: ${shown.map((row) => row.map(Number).join(" ")).join("; ")}` }, shown.flat().map((cell) => h("i", { class: cell ? "is-on" : "", text: sign(cell), "aria-hidden": "true" })));
  cells.style.setProperty("--columns", String(shown[0]?.length ?? 1));
  return h("div", { class: "lesson-grid" }, [h("h4", { text: title }), code(call), cells]);
}
