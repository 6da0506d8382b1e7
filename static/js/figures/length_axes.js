/** The axes of a window under which a canvas holds its cells: ranges, ticks and size, and numbers where there is room. */

import { escaped, labelWidth, shortened } from "./labels.js";

/** @typedef {import("../state/length.js").Range} Range */

/**
 * @typedef {object} AxesInput
 * @property {Range} rows on show
 * @property {Range} cols
 * @property {(row: number) => string} rowLabel of a token
 * @property {(column: number) => string} columnLabel
 * @property {(() => object) | null} numbers as a trace, where every cell is one pair
 * @property {number} width of the whole figure in pixels
 * @property {number} tallest pixels the cells may take in height
 * @property {boolean} movable whether columns are keys, and can be moved along
 * @property {import("./palette.js").Palette} palette
 * @property {{row: string, column: string}} titles
 */

const FONT = "system-ui, sans-serif";
const LEFT_PX = 76;
const TOP_PX = 44;
/** Half of a label at the very end. */
const RIGHT_PX = 24;
/** Room of one label: across, and down. */
const NEEDED_PX = { across: 64, down: 18 };
/** Room of a number in a cell that is one pair. */
const NUMBER_PX = { across: 56, down: 20 };

/** @param {AxesInput} input */
export function axesFigure({ rows, cols, rowLabel, columnLabel, numbers, width, tallest, movable, palette, titles }) {
  const room = Math.max(80, width - LEFT_PX - RIGHT_PX);
  const tall = Math.round(Math.min(tallest, room));
  const across = { ...axisOf(palette, titles.column), side: "top", range: [cols[0] - 0.5, cols[1] - 0.5], fixedrange: !movable, ...lengthTicks(cols, room, columnLabel, "across") };
  const down = { ...axisOf(palette, titles.row), range: [rows[1] - 0.5, rows[0] - 0.5], ...lengthTicks(rows, tall, rowLabel, "down") };
  return {
    data: numbers && room / (cols[1] - cols[0]) >= NUMBER_PX.across && tall / (rows[1] - rows[0]) >= NUMBER_PX.down ? [numbers()] : [],
    layout: {
      width,
      height: TOP_PX + tall + 8,
      margin: { l: LEFT_PX, r: RIGHT_PX, t: TOP_PX, b: 8 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: FONT, size: 12, color: palette.ink },
      dragmode: "pan",
      hovermode: false,
      xaxis: across,
      yaxis: down,
    },
    movable: true,
  };
}

/**
 * @param {import("./palette.js").Palette} palette
 * @param {string} title
 */
function axisOf(palette, title) {
  return {
    type: "linear",
    showgrid: false,
    zeroline: false,
    ticks: "outside",
    ticklen: 4,
    tickcolor: palette.frame,
    showline: true,
    mirror: true,
    linecolor: palette.frame,
    tickangle: 0,
    ticklabeloverflow: "allow", // to look for labels that reach beyond takes as long as to draw them
    tickfont: { color: palette.ink, size: 12 },
    title: { text: title, standoff: 6, font: { size: 11, color: palette.muted } },
  };
}

/**
 * Labels of tokens where each has the room; else the tokens' numbers at even distances. They reach beyond the
 * range, for the axis is moved before it is drawn anew.
 * @param {Range} range
 * @param {number} pixels
 * @param {(token: number) => string} label
 * @param {"across" | "down"} way
 */
export function lengthTicks([from, to], pixels, label, way) {
  const size = to - from;
  const each = pixels / size;
  const labels = size <= 64 ? Array.from({ length: size }, (_, index) => label(from + index)) : [];
  const needed = way === "down" ? NEEDED_PX.down : Math.max(24, labelWidth(labels) + 8);
  if (labels.length && each >= needed) {
    return { tickmode: "array", tickvals: labels.map((_, index) => from + index), ticktext: labels.map((text) => escaped(shortened(text))) };
  }
  const step = evenStep(size / Math.max(2, pixels / NEEDED_PX[way]));
  const first = Math.ceil((from - size) / step) * step;
  const count = Math.floor((to + size - first) / step) + 1;
  const tickvals = Array.from({ length: count }, (_, index) => first + index * step).filter((token) => token >= 0);
  return { tickmode: "array", tickvals, ticktext: tickvals.map((token) => token.toLocaleString("en-US")) };
}

/**
 * 1, 2 or 5 times a power of ten.
 * @param {number} least
 */
export function evenStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step >= least) ?? 10 * power;
}
