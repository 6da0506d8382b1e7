/** Cells that no colour of the scale can say: masked, −∞, +∞, NaN and out of scale, each with a mark of its own. */

export const MASKED = 1;
export const MINUS_INFINITY = 2;
export const PLUS_INFINITY = 3;
export const NOT_A_NUMBER = 4;
export const BELOW = 5;
export const ABOVE = 6;

/** Longest side up to which cells are hatched and named; beyond it they are too small to see it. */
const DETAIL_LIMIT = 64;

/** @typedef {ArrayLike<number>[]} Rows */

/**
 * Which masked cells are covered: all, those whose value is 0, or none. A masked cell that is not
 * covered keeps its own colour or mark and is only hatched, as a weight under a finite fill is.
 * @typedef {"all" | "zeros" | "none"} Cover
 */

/**
 * The mark of every cell, NaN where the number itself is to be seen.
 * @param {Rows} values
 * @param {Rows | null} allowed null where nothing can be masked
 * @param {Cover} cover
 * @param {Rows} [shown] what the colours stand for, where that is another number
 * @param {{zmin: number, zmax: number}} [limits] of the colours
 * @returns {Float32Array[]}
 */
export function marksOf(values, allowed, cover, shown = values, limits = { zmin: -Infinity, zmax: Infinity }) {
  return values.map((row, t) => {
    const marks = new Float32Array(row.length);
    for (let s = 0; s < row.length; s += 1) {
      const masked = allowed !== null && !allowed[t][s];
      const covered = masked && (cover === "all" || (cover === "zeros" && row[s] === 0));
      marks[s] = covered ? MASKED : Number.isFinite(row[s]) ? outside(shown[t][s], limits) : notFinite(row[s]);
    }
    return marks;
  });
}

/**
 * Rounding may take the largest number of a picture a hair over its own limit.
 * @param {number} value
 * @param {{zmin: number, zmax: number}} limits
 */
function outside(value, { zmin, zmax }) {
  const slack = 1e-6 * (zmax - zmin);
  if (value < zmin - slack) return BELOW;
  return value > zmax + slack ? ABOVE : NaN;
}

/**
 * @param {string} stage
 * @param {boolean} showMasked whether scores of masked cells are on show
 * @returns {Cover}
 */
export function coverOf(stage, showMasked) {
  if (stage === "weights" || stage === "dropped_weights") return "zeros";
  return showMasked ? "none" : "all";
}

/**
 * Lines per cell, one about every seven pixels; an even number, so that they join up between cells.
 * @param {number} cellPx
 */
export function hatchLines(cellPx) {
  return Math.max(2, Math.min(12, 2 * Math.round(cellPx / 10)));
}

/** @param {number} value */
function notFinite(value) {
  if (Number.isNaN(value)) return NOT_A_NUMBER;
  return value > 0 ? PLUS_INFINITY : MINUS_INFINITY;
}

/**
 * The marks as a heatmap of flat colours, laid over the numbers.
 * @param {Rows} marks
 * @param {import("./palette.js").Palette} palette
 */
export function marksTrace(marks, palette) {
  const { masked, minusInfinity, plusInfinity, nan, clipped } = palette;
  const colours = [masked, minusInfinity, plusInfinity, nan, clipped, clipped];
  return {
    type: "heatmap",
    z: marks,
    zmin: 0.5,
    zmax: colours.length + 0.5,
    colorscale: colours.flatMap((colour, index) => [
      [index / colours.length, colour],
      [(index + 1) / colours.length, colour],
    ]),
    showscale: false,
    hoverinfo: "skip",
    ...names(marks, palette),
  };
}

/**
 * @param {Rows} marks
 * @param {import("./palette.js").Palette} palette
 */
function names(marks, palette) {
  const small = marks.length <= DETAIL_LIMIT && marks[0].length <= DETAIL_LIMIT;
  if (!small || !marks.some((row) => Array.prototype.some.call(row, (mark) => mark > MASKED))) return {};
  const text = ["", "", "−∞", "+∞", "NaN", "▼", "▲"];
  return {
    text: marks.map((row) => Array.from(row, (mark) => text[Number.isNaN(mark) ? 0 : mark])),
    texttemplate: "%{text}",
    textfont: { color: palette.onMark, size: 11 },
  };
}

/** @typedef {{x: number, y: number, width: number, height: number}} Frame corner of cell (0, 0) and the size of a cell, in axis units */

/** Cells centred on whole numbers, one unit wide. */
const UNIT = { x: -0.5, y: -0.5, width: 1, height: 1 };

/**
 * Diagonal lines over every masked cell, as one path in the axes' own units.
 * @param {Rows} allowed
 * @param {number} lines per cell
 * @param {Frame} [frame]
 * @returns {string} "" where nothing is masked
 */
export function hatchPath(allowed, lines, frame = UNIT) {
  const parts = [];
  for (let t = 0; t < allowed.length; t += 1) {
    for (let s = 0; s < allowed[t].length; s += 1) {
      if (!allowed[t][s]) parts.push(cellHatch(t, s, lines, frame));
    }
  }
  return parts.join("");
}

/**
 * Lines of constant x + y through one cell: they join up from cell to cell.
 * @param {number} t
 * @param {number} s
 * @param {number} lines
 * @param {Frame} frame
 */
function cellHatch(t, s, lines, { x, y, width, height }) {
  /** @param {number} across @param {number} down */
  const point = (across, down) => `${round(x + (s + across) * width)},${round(y + (t + down) * height)}`;
  let path = "";
  for (let index = 0; index < lines; index += 1) {
    const reach = (2 * (index + 0.5)) / lines;
    const [near, far] = [Math.max(0, reach - 1), Math.min(1, reach)];
    path += `M${point(near, far)}L${point(far, near)}`;
  }
  return path;
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 1000) / 1000;
}

/** A path of nothing: where nothing is masked yet, the shape that is to hold the hatching still stands. */
const NOTHING = "M0,0";

/**
 * @param {string} path
 * @param {import("./palette.js").Palette} palette
 */
export function hatchShape(path, palette) {
  return { type: "path", path: path || NOTHING, line: { color: palette.hatch, width: 1 }, layer: "above", editable: false };
}

/**
 * Hatching is worth its cost while its lines can be seen.
 * @param {number} T
 * @param {number} S
 */
export function canHatch(T, S) {
  return Math.max(T, S) <= DETAIL_LIMIT;
}
