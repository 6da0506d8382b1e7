/** What the colours and marks of the stage on show mean; marks that do not occur are left out. */

import { h } from "../dom.js";
import { ABOVE, BELOW, MASKED, MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY, canHatch } from "../figures/marks.js";
import { pictureOf, stageScale } from "../figures/picture.js";
import { LOG_FLOOR, maskColours } from "../figures/scales.js";
import { brief } from "../numbers.js";
import { PAIR, STAGES, isWeights } from "../state/stages.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";
import { headRows } from "../tensors.js";
import { stageName } from "./names.js";

/** @typedef {import("../figures/picture.js").Look} Look */
/** @typedef {import("../figures/picture.js").Picture} Picture */

/**
 * @typedef {object} LegendInput
 * @property {import("../api/answer.js").Answer} answer
 * @property {import("../state/types.js").View} view
 * @property {Look} look
 * @property {string} stage
 */

/**
 * @param {HTMLElement} root
 * @param {LegendInput} input
 */
export function showLegend(root, input) {
  const { stage } = input;
  const pair = PAIR.includes(stage);
  const ramps = (pair ? ["weights", "scores"] : [stage]).map((name) => rampOf(name, input));
  root.replaceChildren(...(STAGES[stage].kind === "masks" ? maskItems(input) : ramps), ...markItems(input, pair ? PAIR : [stage]));
}

/**
 * @param {string} stage
 * @param {LegendInput} input
 */
function rampOf(stage, { answer, view, look }) {
  const { palette, weightScale } = look;
  const name = STAGES[stage].kind === "cells" ? t(isWeights(stage) ? "legend.weights" : "legend.scores") : stageName(stage);
  if (!isWeights(stage)) {
    const { zmax } = stageScale(answer, stage, view.batch, look);
    return ramp(name, palette.scores, brief(-zmax), brief(zmax));
  }
  if (weightScale === "log") return ramp(name, palette.weights, `1e${LOG_FLOOR}`, "1");
  return ramp(name, palette.weights, "0", weightScale === "row" ? t("legend.rowLargest") : "1");
}

/** @param {LegendInput} input */
function maskItems({ answer, look }) {
  const colours = maskColours(look.palette, answer.masks.length);
  const several = answer.masks.length > 1 ? [swatch(t("legend.several"), hatched(answer), colours[colours.length - 1])] : [];
  return [
    swatch(t("legend.visible"), "is-visible", colours[0]),
    ...answer.masks.map(({ description }, index) => swatch(serverText(description), hatched(answer), colours[1 + index])),
    ...several,
  ];
}

/**
 * @param {LegendInput} input
 * @param {string[]} stages
 */
function markItems({ answer, view, look, stage }, stages) {
  const found = occurring(answer, view, look, stages);
  const { palette } = look;
  const masked = found.marks.has(MASKED) && STAGES[stage].kind !== "masks";
  return [
    ...(masked ? [swatch(t("legend.masked"), hatched(answer), palette.masked)] : []),
    ...(found.kept && hatched(answer) ? [swatch(t("legend.kept"), hatched(answer), palette.weights[3][1])] : []),
    ...(found.marks.has(MINUS_INFINITY) ? [swatch(t("legend.minusInfinity"), "", palette.minusInfinity)] : []),
    ...(found.marks.has(PLUS_INFINITY) ? [swatch(t("legend.plusInfinity"), "", palette.plusInfinity)] : []),
    ...(found.marks.has(NOT_A_NUMBER) ? [swatch(t("legend.nan"), "", palette.nan)] : []),
    ...(found.marks.has(BELOW) ? [swatch(t("legend.below"), "", palette.clipped)] : []),
    ...(found.marks.has(ABOVE) ? [swatch(t("legend.above"), "", palette.clipped)] : []),
  ];
}

/**
 * Masked cells are hatched in the pictures only while the lines can be seen.
 * @param {import("../api/answer.js").Answer} answer
 */
function hatched({ tensors: { allowed } }) {
  const [T, S] = allowed.shape.slice(2);
  return canHatch(T, S) ? "is-hatched" : "";
}

/**
 * @param {import("../api/answer.js").Answer} answer
 * @param {import("../state/types.js").View} view
 * @param {Look} look
 * @param {string[]} stages
 */
function occurring(answer, { batch }, look, stages) {
  /** @type {Set<number>} */
  const marks = new Set();
  let kept = false;
  for (const stage of stages) {
    const scale = stageScale(answer, stage, batch, look);
    for (let head = 0; head < answer.layout.num_heads; head += 1) {
      const picture = pictureOf(answer, stage, batch, head, look, scale);
      collect(picture, marks);
      kept ||= isWeights(stage) && weighsMasked(picture, headRows(answer.tensors.allowed, batch, head));
    }
  }
  return { marks, kept };
}

/**
 * @param {Picture} picture
 * @param {Set<number>} marks
 */
function collect({ marks: rows }, marks) {
  for (const row of rows) {
    for (let s = 0; s < row.length; s += 1) if (row[s] > 0 && !marks.has(row[s])) marks.add(row[s]);
  }
}

/**
 * @param {Picture} picture
 * @param {ArrayLike<number>[]} allowed
 */
function weighsMasked({ values }, allowed) {
  return values.some((row, t) => {
    for (let s = 0; s < row.length; s += 1) if (!allowed[t][s] && row[s] > 0) return true;
    return false;
  });
}

/**
 * @param {string} text
 * @param {import("../figures/palette.js").Scale} scale
 * @param {string} low
 * @param {string} high
 */
export function ramp(text, scale, low, high) {
  const bar = h("i", { class: "ramp" });
  bar.style.background = `linear-gradient(to right, ${scale.map(([at, colour]) => `${colour} ${at * 100}%`).join(", ")})`;
  return h("span", { class: "legend-item" }, [h("span", { text }), h("span", { class: "legend-number", text: low }), bar, h("span", { class: "legend-number", text: high })]);
}

/**
 * @param {string} text
 * @param {string} className
 * @param {string} colour
 */
export function swatch(text, className, colour) {
  const box = h("i", { class: `swatch ${className}` });
  box.style.backgroundColor = colour;
  return h("span", { class: "legend-item" }, [box, h("span", { text })]);
}
