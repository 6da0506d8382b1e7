/** A picture made to stand alone, in a paper or on a slide: with its title, colour bar and legend. */

import { colourBar } from "./colour_bar.js";
import { escaped } from "./labels.js";
import { MASKED } from "./marks.js";

/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {{data: any[], layout: Record<string, any>}} Drawing */

/**
 * @typedef {object} PaperOptions
 * @property {string} title "" for none
 * @property {string} bar what the colours of the bar say, "" where no bar could say it
 * @property {string[]} marks names of the marks, by their number in the marks' heatmap
 * @property {string} family of fonts
 * @property {Palette} palette the one the drawing was painted with
 * @property {string} background
 */

/** The size that all distances below and in the figures are made for. */
export const FONT_PX = 12;
const TITLE_PX = 30;
const LEGEND_PX = 30;
const BAR_PX = 68;
const BAR_TITLE_PX = 12;
/** Around everything: lines at the very edge would be cut in half. */
const PAD_PX = 6;
const SWATCH_PX = 12;
const CHARACTER_PX = 6.4;

/**
 * Pixels that a drawing may take of a page's width, so that its text comes out at the size asked for.
 * Everything is laid out for 12-pixel text and enlarged as a whole.
 * @param {number} width of the finished picture in CSS pixels
 * @param {number} fontSize of its text in CSS pixels
 */
export function layoutWidth(width, fontSize) {
  return Math.round((width * FONT_PX) / fontSize);
}

/**
 * Pixels that paper takes of the width: its edge, and the bar beyond what the drawing keeps for one.
 * @param {Drawing} drawing
 * @param {string} bar
 */
export function paperRoom(drawing, bar) {
  return 2 * PAD_PX + barRoom(drawing, bar);
}

/**
 * @param {Drawing} drawing
 * @param {string} bar
 */
function barRoom({ data: [values] }, bar) {
  if (!bar) return 0;
  return values?.showscale === false ? BAR_PX : BAR_TITLE_PX;
}

/**
 * @param {Drawing} drawing
 * @param {PaperOptions} options
 * @returns {Drawing}
 */
export function paperFigure({ data, layout }, options) {
  const { bar, title, family, background } = options;
  const legend = legendOf({ data, layout }, options);
  const { l = 0, r = 0, t = 0, b = 0 } = layout.margin ?? {};
  const margin = {
    l: l + PAD_PX,
    r: r + PAD_PX + barRoom({ data, layout }, bar),
    t: t + PAD_PX + (title ? TITLE_PX : 0),
    b: b + PAD_PX + (legend.length > 0 ? LEGEND_PX : 0),
  };
  return {
    data: data.map((trace, index) => (index === 0 && bar ? withBar(trace, options) : trace)),
    layout: {
      ...layout,
      margin,
      width: layout.width + margin.l + margin.r - l - r,
      height: layout.height + margin.t + margin.b - t - b,
      font: { ...layout.font, family },
      paper_bgcolor: background,
      plot_bgcolor: background,
      title: title ? titleOf(options) : undefined,
      shapes: [...(layout.shapes ?? []), ...legend.flatMap((item) => item.shapes)],
      annotations: [...(layout.annotations ?? []), ...legend.map((item) => item.annotation), ...(bar ? [barTitle(margin.r, options)] : [])],
    },
  };
}

/** @param {PaperOptions} options */
function titleOf({ title, palette }) {
  return { text: escaped(title), x: 0, xref: "container", xanchor: "left", y: 1, yref: "container", yanchor: "top", pad: { l: PAD_PX, t: 10 }, font: { size: 15, color: palette.ink, weight: 600 } };
}

/**
 * The overview leaves its bar to the legend on the page; on paper it has one of its own.
 * @param {any} trace
 * @param {PaperOptions} options
 */
function withBar(trace, { palette }) {
  const own = trace.showscale === false ? { ...colourBar(palette, 6), ...trace.colorbar } : trace.colorbar;
  return { ...trace, showscale: true, colorbar: own };
}

/**
 * Upright at the right edge; Plotly's own title of a bar runs into its numbers.
 * @param {number} right margin
 * @param {PaperOptions} options
 */
function barTitle(right, { bar, palette }) {
  return { xref: "paper", yref: "paper", x: 1, y: 0.5, xanchor: "center", yanchor: "middle", xshift: right - PAD_PX - 8, textangle: -90, showarrow: false, borderpad: 0, text: escaped(bar), font: { size: 11, color: palette.muted } };
}

/**
 * A swatch and a name for every mark that occurs.
 * @param {Drawing} drawing
 * @param {PaperOptions} options
 */
function legendOf({ data, layout }, { marks, palette }) {
  const hatched = (layout.shapes ?? []).some((/** @type {any} */ shape) => shape.line?.color === palette.hatch);
  let left = 0;
  return occurring(data, hatched).map(({ mark, colour }) => {
    const item = entry(left, marks[mark] ?? "", mark === MASKED ? palette.masked : colour, mark === MASKED && hatched ? palette.hatch : "", palette.muted);
    left += SWATCH_PX + 24 + (marks[mark] ?? "").length * CHARACTER_PX;
    return item;
  });
}

/**
 * @param {any[]} data the second heatmap holds the marks
 * @param {boolean} hatched
 * @returns {{mark: number, colour: string}[]}
 */
function occurring(data, hatched) {
  const trace = data[1];
  if (trace?.type !== "heatmap") return [];
  const found = new Set(hatched ? [MASKED] : []);
  for (const row of trace.z) for (const mark of row) if (mark > 0) found.add(mark);
  return [...found].sort((one, other) => one - other).map((mark) => ({ mark, colour: trace.colorscale[2 * (mark - 1)]?.[1] }));
}

/**
 * In pixels from the lower left corner of the axes.
 * @param {number} left
 * @param {string} name
 * @param {string} fill
 * @param {string} hatch "" for none
 * @param {string} ink
 */
function entry(left, name, fill, hatch, ink) {
  const low = -LEGEND_PX + 6;
  const place = { xref: "paper", yref: "paper", xsizemode: "pixel", ysizemode: "pixel", xanchor: 0, yanchor: 0 };
  const box = { type: "rect", ...place, x0: left, x1: left + SWATCH_PX, y0: low, y1: low + SWATCH_PX, fillcolor: fill, line: { width: 0 } };
  return {
    shapes: hatch ? [box, { type: "path", ...place, path: stripes(left, low), line: { color: hatch, width: 1 } }] : [box],
    annotation: { xref: "paper", yref: "paper", x: 0, y: 0, xanchor: "left", yanchor: "middle", xshift: left + SWATCH_PX + 4, yshift: low + SWATCH_PX / 2, showarrow: false, borderpad: 0, text: escaped(name), font: { size: 11, color: ink } },
  };
}

/**
 * @param {number} left
 * @param {number} low
 */
function stripes(left, low) {
  const size = SWATCH_PX;
  return [0.5, 1, 1.5]
    .map((at) => {
      const [near, far] = [Math.max(0, at - 1) * size, Math.min(1, at) * size];
      return `M${left + near},${low + size - far}L${left + far},${low + size - near}`;
    })
    .join("");
}
