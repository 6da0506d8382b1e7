/** Costs over the length N: operations part by part, and the bytes that N × N stages move. Both axes logarithmic. */

import { PARTS, partCurve } from "../api/costs.js";
import { bytesText, countText, wholeText } from "../units.js";
import { escaped } from "./labels.js";

/** @typedef {import("../api/costs.js").Costs} Costs */
/** @typedef {import("../api/costs.js").Part} Part */
/** @typedef {import("./palette.js").Palette} Palette */

/**
 * @typedef {object} CurveLook
 * @property {Palette} palette
 * @property {string} surface behind the hover's numbers
 * @property {number} width
 * @property {Record<string, string>} names of the curves, and of "run" and "crossover"
 * @property {number | null} run N of this run, null where queries and keys differ in number
 */

const FONT = "system-ui, sans-serif";
const HEIGHT = 304;

/**
 * @param {Costs} costs
 * @param {CurveLook} look
 */
export function flopsFigure({ curves, crossover_length: crossover }, look) {
  const parts = /** @type {Part[]} */ (Object.keys(PARTS));
  const lines = parts.map((part, index) => ({ name: look.names[part], values: partCurve(curves, part), colour: look.palette.groups[index] }));
  const shown = lines.filter(({ values }) => values.some((value) => value > 0));
  const data = shown.map((line) => trace(curves.lengths, line, look, countText));
  return { data, layout: layoutOf(curves.lengths, look, crossover, { tickformat: "~s" }) };
}

/**
 * @param {Costs} costs
 * @param {CurveLook} look
 */
export function trafficFigure({ curves }, look) {
  const { materialised, fused } = curves.traffic;
  const [fusedColour, wholeColour] = [look.palette.groups[2], look.palette.groups[1]];
  const data = [
    trace(curves.lengths, { name: look.names.fused, values: fused, colour: fusedColour }, look, bytesText),
    { ...trace(curves.lengths, { name: look.names.materialised, values: materialised, colour: wholeColour }, look, bytesText), fill: "tonexty", fillcolor: `${wholeColour}22` },
  ];
  return { data, layout: layoutOf(curves.lengths, look, null, byteTicks(fused, materialised)) };
}

/**
 * @param {number[]} lengths
 * @param {{name: string, values: number[], colour: string}} line
 * @param {CurveLook} look
 * @param {(value: number) => string} unit
 */
function trace(lengths, { name, values, colour }, { palette }, unit) {
  return {
    type: "scatter",
    mode: "lines",
    name: escaped(name),
    x: lengths,
    y: values,
    text: values.map((value) => `${unit(value)} (${wholeText(value)})`),
    hovertemplate: "%{text}",
    line: { color: colour, width: 2.5 },
    hoverlabel: { font: { color: palette.ink } },
  };
}

/**
 * Powers of 1024, or those of 32 between them where there are few.
 * @param {number[]} fused
 * @param {number[]} materialised
 */
function byteTicks(fused, materialised) {
  const [least, most] = [Math.log2(Math.min(...fused)), Math.log2(Math.max(...materialised))];
  const step = most - least > 30 ? 10 : 5;
  const powers = Array.from({ length: 20 }, (_, index) => index * step).filter((power) => power >= least - 1 && power <= most + 1);
  return { tickvals: powers.map((power) => 2 ** power), ticktext: powers.map((power) => bytesText(2 ** power)) };
}

/**
 * @param {number[]} lengths
 * @param {CurveLook} look
 * @param {number | null} crossover
 * @param {Record<string, any>} yTicks
 */
function layoutOf(lengths, { palette, surface, width, names, run }, crossover, yTicks) {
  const last = lengths[lengths.length - 1];
  const marks = [
    { at: crossover, text: names.crossover, dash: "solid", y: 1 },
    { at: run, text: names.run, dash: "dot", y: 0 },
  ].filter(({ at }) => at !== null && at >= 1 && at <= last);
  const axis = { type: "log", gridcolor: palette.masked, zeroline: false, fixedrange: true, color: palette.muted, tickfont: { color: palette.muted, size: 11 }, linecolor: palette.frame };
  return {
    width,
    height: HEIGHT,
    margin: { l: 64, r: 12, t: 44, b: 40 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: FONT, size: 12, color: palette.ink },
    dragmode: false,
    hovermode: "x unified",
    hoverlabel: { bgcolor: surface, bordercolor: palette.frame, font: { color: palette.ink, size: 12 } },
    showlegend: true,
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { color: palette.ink, size: 12 }, itemclick: false, itemdoubleclick: false },
    shapes: marks.map(({ at, dash }) => ({ type: "line", xref: "x", yref: "paper", x0: at, x1: at, y0: 0, y1: 1, line: { color: palette.muted, width: 1, dash } })),
    annotations: marks.map(({ at, text, y }) => note(Math.log10(Number(at)), Math.log10(last), text, y, palette)),
    xaxis: { ...axis, range: [0, Math.log10(last)], tickformat: "~s", hoverformat: ",d", title: { text: "N", standoff: 4, font: { size: 12, color: palette.muted } } },
    yaxis: { ...axis, ...yTicks },
  };
}

/**
 * Beside its line, on the side with more room.
 * @param {number} x on the logarithmic axis
 * @param {number} last
 * @param {string} text
 * @param {number} y 1 at the top, 0 at the bottom
 * @param {Palette} palette
 */
function note(x, last, text, y, palette) {
  const left = x < last / 2;
  return { x, y, xref: "x", yref: "paper", text: escaped(text), showarrow: false, xanchor: left ? "left" : "right", yanchor: y ? "top" : "bottom", xshift: left ? 4 : -4, font: { size: 11, color: palette.muted } };
}
