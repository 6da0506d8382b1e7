/** One head's scores or weights, large: queries down, keys across. */

import { brief } from "../numbers.js";
import { labelWidth, ticks } from "./labels.js";
import { canHatch, coverOf, hatchLines, hatchPath, hatchShape, marksOf, marksTrace } from "./marks.js";
import { scaleOf } from "./scales.js";

/**
 * @typedef {object} MatrixInput
 * @property {"weights" | "scores"} stage
 * @property {import("../api/tensors.js").Numbers[]} rows as served
 * @property {import("../api/tensors.js").Numbers[]} allowed
 * @property {string[]} queries
 * @property {string[]} keys
 * @property {number} width of the whole figure in pixels
 * @property {number} tallest pixels the cells may take in height
 * @property {number} reach largest distance of a score from 0
 * @property {boolean} showMasked
 * @property {import("./palette.js").Palette} palette
 * @property {{query: string, key: string}} titles
 */

const COLOUR_BAR_PX = 60;
/** Height that a number in a cell needs; its width needs twice as much. */
const LEAST_LABELLED_PX = 24;
const FONT = "system-ui, sans-serif";

/** @param {MatrixInput} input */
export function matrixFigure(input) {
  const frame = frameOf(input);
  return { data: traces(input, frame), layout: layoutOf(input, frame) };
}

/**
 * Pixels: margins around the cells, and the cells as near to squares as the height allows.
 * @param {MatrixInput} input
 */
function frameOf({ queries, keys, width, tallest }) {
  const left = labelWidth(queries) + 34;
  const cellsWide = Math.max(40, width - left - COLOUR_BAR_PX);
  const cell = cellsWide / keys.length;
  const upright = labelWidth(keys) + 8 <= cell;
  const top = (upright ? 22 : labelWidth(keys) + 10) + 22;
  const tall = Math.min(tallest, Math.max(Math.min(112, queries.length * 28), Math.min(queries.length * cell, cellsWide)));
  return { left, top, cell, upright, tall, rowHeight: tall / queries.length };
}

/**
 * @param {MatrixInput} input
 * @param {ReturnType<typeof frameOf>} frame
 */
function traces({ stage, rows, allowed, palette, reach, showMasked }, { cell, rowHeight, tall }) {
  const marks = marksOf(rows, allowed, coverOf(stage, showMasked));
  const gap = Math.min(cell, rowHeight) >= 14 ? 1 : 0;
  const values = {
    type: "heatmap",
    z: rows,
    ...scaleOf(stage, palette, reach),
    xgap: gap,
    ygap: gap,
    hoverinfo: "none",
    ...(Math.min(cell / 2, rowHeight) >= LEAST_LABELLED_PX ? numberLabels(stage, rows, marks) : { texttemplate: "" }),
    colorbar: {
      thickness: 10,
      len: 1,
      x: 1,
      xpad: 12,
      ypad: 0,
      outlinewidth: 0,
      ticklen: 3,
      nticks: Math.max(2, Math.min(7, Math.floor(tall / 44))),
      tickcolor: palette.muted,
      tickfont: { color: palette.muted, size: 11 },
    },
  };
  return [values, { ...marksTrace(marks, palette), xgap: gap, ygap: gap }];
}

/**
 * Numbers in the cells that show one: rounded, for the whole ones are in the card.
 * @param {"weights" | "scores"} stage
 * @param {MatrixInput["rows"]} rows
 * @param {Float32Array[]} marks
 */
function numberLabels(stage, rows, marks) {
  const label = stage === "weights" ? (/** @type {number} */ value) => value.toFixed(3) : brief;
  const text = rows.map((row, t) => Array.from(row, (value, s) => (Number.isNaN(marks[t][s]) ? label(value) : "")));
  return { text, texttemplate: "%{text}", textfont: { size: 11 } };
}

/**
 * @param {MatrixInput} input
 * @param {ReturnType<typeof frameOf>} frame
 */
function layoutOf({ rows, allowed, queries, keys, width, palette, titles }, frame) {
  const { left, top, cell, upright, tall, rowHeight } = frame;
  const path = canHatch(rows.length, keys.length) ? hatchPath(allowed, hatchLines(cell)) : "";
  const axis = { showgrid: false, zeroline: false, fixedrange: true, ticks: "outside", ticklen: 4, tickcolor: "rgba(0,0,0,0)", color: palette.muted, showline: true, mirror: true, linecolor: palette.frame };
  return {
    width,
    height: Math.round(top + tall + 8),
    margin: { l: left, r: COLOUR_BAR_PX, t: top, b: 8 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: FONT, size: 12, color: palette.ink },
    dragmode: false,
    hovermode: "closest",
    shapes: path ? [hatchShape(path, palette)] : [],
    xaxis: {
      ...axis,
      side: "top",
      range: [-0.5, keys.length - 0.5],
      tickangle: upright ? 0 : -90,
      tickfont: { color: palette.ink, size: 12 },
      title: { text: titles.key, standoff: 6, font: { size: 11, color: palette.muted } },
      ...ticks(keys, cell, upright ? labelWidth(keys) + 8 : 15),
    },
    yaxis: {
      ...axis,
      range: [queries.length - 0.5, -0.5],
      tickfont: { color: palette.ink, size: 12 },
      title: { text: titles.query, standoff: 6, font: { size: 11, color: palette.muted } },
      ...ticks(queries, rowHeight, 15),
    },
  };
}
