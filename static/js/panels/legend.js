/** What the colours and marks mean; marks that do not occur are left out. */

import { h } from "../dom.js";
import { headRows } from "../api/tensors.js";
import { t } from "../strings.js";

/** @typedef {import("../figures/palette.js").Palette} Palette */

/**
 * @param {HTMLElement} root
 * @param {{answer: import("../api/answer.js").Answer, view: import("../state/types.js").View, palette: Palette, reach: number}} input
 */
export function showLegend(root, { answer, view, palette, reach }) {
  const found = occurring(answer, view.batch);
  const limit = Number(reach.toPrecision(3));
  root.replaceChildren(
    ramp(t("legend.weights"), palette.weights, "0", "1"),
    ramp(t("legend.scores"), palette.scores, `−${limit}`, `${limit}`),
    ...(found.masked ? [swatch(t("legend.masked"), "is-masked", palette.masked)] : []),
    ...(found.kept ? [swatch(t("legend.kept"), "is-kept", palette.weights[3][1])] : []),
    ...(found.minus ? [swatch(t("legend.minusInfinity"), "", palette.minusInfinity)] : []),
    ...(found.plus ? [swatch(t("legend.plusInfinity"), "", palette.plusInfinity)] : []),
    ...(found.nan ? [swatch(t("legend.nan"), "", palette.nan)] : []),
  );
}

/**
 * @param {import("../api/answer.js").Answer} answer
 * @param {number} batch
 */
function occurring({ tensors: { scores, weights, allowed } }, batch) {
  const found = { masked: false, kept: false, minus: false, plus: false, nan: false };
  for (let head = 0; head < scores.shape[1]; head += 1) {
    const visible = headRows(allowed, batch, head);
    headRows(weights, batch, head).forEach((row, t) =>
      row.forEach((weight, s) => {
        found.masked ||= !visible[t][s];
        found.kept ||= !visible[t][s] && weight > 0;
        found.nan ||= Number.isNaN(weight);
      }),
    );
    headRows(scores, batch, head).forEach((row, t) =>
      row.forEach((score, s) => {
        if (!visible[t][s]) return;
        found.minus ||= score === -Infinity;
        found.plus ||= score === Infinity;
        found.nan ||= Number.isNaN(score);
      }),
    );
  }
  return found;
}

/**
 * @param {string} text
 * @param {import("../figures/palette.js").Scale} scale
 * @param {string} low
 * @param {string} high
 */
function ramp(text, scale, low, high) {
  const bar = h("i", { class: "ramp" });
  bar.style.background = `linear-gradient(to right, ${scale.map(([at, colour]) => `${colour} ${at * 100}%`).join(", ")})`;
  return h("span", { class: "legend-item" }, [h("span", { text }), h("span", { class: "legend-number", text: low }), bar, h("span", { class: "legend-number", text: high })]);
}

/**
 * @param {string} text
 * @param {string} className
 * @param {string} colour
 */
function swatch(text, className, colour) {
  const box = h("i", { class: `swatch ${className}` });
  box.style.backgroundColor = colour;
  return h("span", { class: "legend-item" }, [box, h("span", { text })]);
}
