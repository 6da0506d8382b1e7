/** How windows, cells and pooling of long runs are said. */

import { t } from "../strings.js";
import { wholeText } from "../units.js";

/** @typedef {import("../state/length.js").Range} Range */

/**
 * The tokens of a half-open range, first to last.
 * @param {Range} range
 */
export function rangeText([from, to]) {
  if (to - from <= 1) return wholeText(from);
  return t("length.range", { first: wholeText(from), last: wholeText(to - 1) });
}

/**
 * What a cell of the picture stands for; of masks, the share that they hide.
 * @param {import("../api/view.js").Found["reduced"]} reduced
 * @param {string} stage
 */
export function pooledText({ rows, cols, how }, stage) {
  if (rows === 1 && cols === 1) return t("length.single");
  return t(`length.pooled.${stage === "allowed" ? "share" : how}`, { rows: wholeText(rows), cols: wholeText(cols) });
}

/**
 * @param {import("../figures/length_span.js").Span} span
 */
export function windowText({ rows, cols, sides }) {
  if (sides.cols) return t("length.window", { rows: rangeText(rows), cols: rangeText(cols) });
  return `${t(sides.rows === "cols" ? "length.tokens.key" : "length.tokens.query")} ${rangeText(rows)}`;
}
