/** Measured numbers as points on lines, both axes logarithmic; a formula beside them is dashed. */

import { escaped } from "./labels.js";

/**
 * @typedef {object} Curve
 * @property {string} name
 * @property {number[]} x
 * @property {number[]} y
 * @property {number} colour which of the palette's
 * @property {boolean} [formula] a line without points
 *
 * @typedef {object} CurvesInput
 * @property {Curve[]} curves
 * @property {string} title of the axis across
 * @property {number[]} ticks of the axis across
 * @property {number} powers of ten from one tick of the other axis to the next
 * @property {import("./palette.js").Palette} palette
 * @property {number} width
 */

const HEIGHT = 264;

/** @param {CurvesInput} input */
export function curvesFigure({ curves, title, ticks, powers, palette, width }) {
  const axis = { type: "log", gridcolor: palette.masked, zeroline: false, fixedrange: true, color: palette.muted, tickfont: { color: palette.muted, size: 11 } };
  return {
    data: curves.map((curve) => traceOf(curve, palette)),
    layout: {
      width,
      height: HEIGHT,
      margin: { l: 56, r: 12, t: 40, b: 40 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: "system-ui, sans-serif", size: 12, color: palette.ink },
      dragmode: false,
      hovermode: "closest",
      hoverlabel: { font: { size: 12 } },
      showlegend: true,
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { color: palette.ink, size: 12 }, itemclick: false, itemdoubleclick: false },
      xaxis: { ...axis, tickvals: ticks, ticktext: ticks.map(String), title: { text: escaped(title), standoff: 4, font: { size: 12, color: palette.muted } } },
      yaxis: { ...axis, exponentformat: "power", dtick: powers },
    },
  };
}

/**
 * @param {Curve} curve
 * @param {import("./palette.js").Palette} palette
 */
function traceOf({ name, x, y, colour, formula }, palette) {
  const ink = palette.groups[colour];
  return {
    type: "scatter",
    mode: formula ? "lines" : "lines+markers",
    name: escaped(name),
    x,
    y,
    hovertemplate: "%{x}: %{y:.4g}<extra></extra>",
    line: { color: ink, width: formula ? 1.5 : 2.5, dash: formula ? "dot" : "solid" },
    marker: { color: ink, size: 7 },
  };
}
