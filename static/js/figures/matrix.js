/** One head's picture of one stage, large: tokens down; keys, dimensions or nothing across. */

import { painter } from "./cells.js";
import { colourBar } from "./colour_bar.js";
import { inkOn } from "./ink.js";
import { labelWidth, ticks } from "./labels.js";
import { canHatch, hatchLines, hatchPath, hatchShape, marksTrace } from "./marks.js";

/**
 * @typedef {object} MatrixInput
 * @property {import("./picture.js").Picture} picture
 * @property {string[]} rows labels
 * @property {string[]} columns labels
 * @property {number} width of the whole figure in pixels
 * @property {number} tallest pixels the cells may take in height
 * @property {import("./palette.js").Palette} palette
 * @property {{row: string, column: string}} titles
 */

const COLOUR_BAR_PX = 60;
/** Height that a number in a cell needs, what each of its characters takes, and the room beside it. */
const LEAST_LABELLED_PX = 24;
const CHARACTER_PX = 6.5;
const BESIDE_PX = 6;
/** No number worth reading fits a narrower cell. */
const NARROWEST_PX = 4 * CHARACTER_PX + BESIDE_PX;
const FONT = "system-ui, sans-serif";
/** The cells of a single row need no more. */
const WIDEST_STRIP_CELL_PX = 80;
/** Labels up to this wide thin out rather than turn. */
const SHORT_LABEL_PX = 27;

/** @param {MatrixInput} input */
export function matrixFigure(input) {
  const frame = frameOf(input);
  const { picture, rows, columns } = input;
  return { data: traces(input, frame), layout: layoutOf(input, frame), numbers: { values: picture.values, rows, columns } };
}

/**
 * Pixels: margins around the cells, and the cells as near to squares as the height allows.
 * @param {MatrixInput} input
 */
function frameOf({ picture, rows, columns, width, tallest, titles }) {
  const left = labelWidth(rows) + (titles.row ? 34 : 14);
  const barPx = picture.scale.bar.hidden ? 4 : COLOUR_BAR_PX;
  const room = Math.max(40, width - left - barPx);
  const cellsWide = rows.length === 1 ? Math.min(WIDEST_STRIP_CELL_PX * columns.length, room) : room;
  const cell = cellsWide / columns.length;
  const upright = labelWidth(columns) + 8 <= cell || labelWidth(columns) <= SHORT_LABEL_PX;
  const top = (upright ? 22 : labelWidth(columns) + 10) + 22;
  const tall = Math.min(tallest, Math.max(Math.min(112, rows.length * 28), Math.min(rows.length * cell, cellsWide)));
  const right = width - left - cellsWide;
  return { left, right, top, cell, upright, tall, rowHeight: tall / rows.length };
}

/**
 * @param {MatrixInput} input
 * @param {ReturnType<typeof frameOf>} frame
 */
function traces({ picture, palette }, { cell, rowHeight, tall }) {
  const { z, marks, scale } = picture;
  const { zmin, zmax, colorscale, bar } = scale;
  const gap = Math.min(cell, rowHeight) >= 14 ? 1 : 0;
  const values = {
    type: "heatmap",
    z,
    zmin,
    zmax,
    colorscale,
    xgap: gap,
    ygap: gap,
    hoverinfo: "none",
    texttemplate: "",
    showscale: bar.hidden !== true,
    colorbar: { ...colourBar(palette, Math.max(2, Math.min(7, Math.floor(tall / 44)))), ...bar },
  };
  const tallEnough = rowHeight >= LEAST_LABELLED_PX && cell >= NARROWEST_PX;
  const labels = tallEnough ? numberLabels(picture) : null;
  const widest = labels ? Math.max(...labels.text.map((text) => text.length)) * CHARACTER_PX + BESIDE_PX : Infinity;
  return [values, { ...marksTrace(marks, palette), xgap: gap, ygap: gap }, ...(labels && cell >= widest ? [labels] : [])];
}

/**
 * Numbers in the cells that show one: rounded, for the whole ones are in the card. A trace of its own,
 * since a heatmap's text has one ink for all cells.
 * @param {import("./picture.js").Picture} picture
 * @param {{row: number, column: number}} [first] place of its first cell
 */
export function numberLabels({ values, z, marks, label, scale }, first = { row: 0, column: 0 }) {
  const colourOf = painter(scale);
  /** @type {{x: number[], y: number[], text: string[], color: string[]}} */
  const found = { x: [], y: [], text: [], color: [] };
  values.forEach((row, t) => {
    for (let s = 0; s < row.length; s += 1) {
      const colour = Number.isNaN(marks[t][s]) ? colourOf(z[t][s]) : null;
      if (!colour) continue;
      found.x.push(first.column + s);
      found.y.push(first.row + t);
      found.text.push(label(row[s]));
      found.color.push(inkOn(colour));
    }
  });
  const { color, ...points } = found;
  return { type: "scatter", mode: "text", ...points, textfont: { size: 11, color }, hoverinfo: "skip", showlegend: false };
}

/**
 * @param {MatrixInput} input
 * @param {ReturnType<typeof frameOf>} frame
 */
function layoutOf({ picture, rows, columns, width, palette, titles }, frame) {
  const { left, right, top, cell, upright, tall, rowHeight } = frame;
  const hatched = picture.allowed && canHatch(rows.length, columns.length) ? [hatchPath(picture.allowed, hatchLines(cell))] : [];
  const axis = { showgrid: false, zeroline: false, fixedrange: true, ticks: "outside", ticklen: 4, tickcolor: "rgba(0,0,0,0)", color: palette.muted, showline: true, mirror: true, linecolor: palette.frame };
  return {
    width,
    height: Math.round(top + tall + 8),
    margin: { l: left, r: right, t: top, b: 8 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: FONT, size: 12, color: palette.ink },
    dragmode: false,
    hovermode: "closest",
    shapes: hatched.map((path) => hatchShape(path, palette)),
    xaxis: {
      ...axis,
      side: "top",
      range: [-0.5, columns.length - 0.5],
      tickangle: upright ? 0 : -90,
      tickfont: { color: palette.ink, size: 12 },
      title: { text: titles.column, standoff: 6, font: { size: 11, color: palette.muted } },
      ...ticks(columns, cell, upright ? labelWidth(columns) + 8 : 15),
    },
    yaxis: {
      ...axis,
      range: [rows.length - 0.5, -0.5],
      tickfont: { color: palette.ink, size: 12 },
      title: { text: titles.row, standoff: 6, font: { size: 11, color: palette.muted } },
      ...ticks(rows, rowHeight, 15),
    },
  };
}
