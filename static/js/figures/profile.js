/** One query's weights over all keys of a long run, in runs of many keys each: the shape of the row. */

/** @typedef {import("../api/view.js").Found} Found */

/**
 * @typedef {object} ProfileInput
 * @property {Found} found one row of weights
 * @property {number} key of the cell
 * @property {number} width
 * @property {string} title of the axis of keys
 * @property {import("./palette.js").Palette} palette
 */

const HEIGHT = 132;
const FONT = "system-ui, sans-serif";

/** @param {ProfileInput} input */
export function profileFigure({ found, key, width, title, palette }) {
  const { colEdges, z } = found;
  const x = colEdges.slice(0, -1).flatMap((edge, index) => [edge - 0.5, colEdges[index + 1] - 0.5]);
  const y = Array.from(z[0]).flatMap((weight) => [weight, weight]);
  const axis = { fixedrange: true, showgrid: false, zeroline: false, color: palette.muted, tickfont: { color: palette.muted, size: 10 } };
  const colour = palette.weights[4][1];
  return {
    data: [{ type: "scatter", mode: "lines", x, y, fill: "tozeroy", fillcolor: colour, line: { width: 0.5, color: colour }, hoverinfo: "none", showlegend: false }],
    layout: {
      width,
      height: HEIGHT,
      margin: { l: 44, r: 8, t: 6, b: 34 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: FONT, size: 10, color: palette.ink },
      dragmode: false,
      hovermode: false,
      shapes: [{ type: "line", x0: key, x1: key, yref: "paper", y0: 0, y1: 1, line: { color: palette.ink, width: 1, dash: "dot" } }],
      xaxis: { ...axis, range: [colEdges[0] - 0.5, colEdges[colEdges.length - 1] - 0.5], nticks: 5, tickformat: ",d", title: { text: title, standoff: 4, font: { size: 10, color: palette.muted } } },
      yaxis: { ...axis, rangemode: "tozero", nticks: 4, tickformat: "~g" },
    },
  };
}
