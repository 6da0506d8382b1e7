/** A window of a long run ready to paint: its numbers, what its colours stand for, and its masked cells. */

import { brief } from "../numbers.js";
import { STAGES, isWeights } from "../state/stages.js";
import { painter, pixelColours } from "./cells.js";
import { MASKED, coverOf, marksOf } from "./marks.js";
import { scaleOf } from "./scales.js";

/** @typedef {import("../api/view.js").Found} Found */
/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {import("./palette.js").Palette} Palette */

/**
 * @typedef {object} LengthLook
 * @property {Palette} palette
 * @property {"log" | "row" | "fixed"} scale of weights
 * @property {number} reach largest distance from 0 that the colours of other stages stand for
 * @property {number} keys S, which says how small weights get
 */

/** A share this near to 1 is all: it is a float32. */
const ALL = 1 - 1e-6;

/**
 * Powers of ten down to a hundredth of an even share of the keys.
 * @param {number} keys
 */
export function floorOf(keys) {
  return -Math.ceil(Math.log10(Math.max(10, keys))) - 2;
}

/**
 * @param {string} stage
 * @param {LengthLook} look
 * @returns {import("./scales.js").Scale}
 */
export function lengthScale(stage, { palette, scale, reach, keys }) {
  if (stage === "allowed") return { zmin: 0, zmax: 1, colorscale: [[0, palette.visible], [1, palette.blockers[0]]], bar: {} };
  if (!isWeights(stage) || scale !== "log") return scaleOf(stage, palette, reach, scale === "row" ? "row" : "fixed");
  const floor = floorOf(keys);
  const tickvals = Array.from({ length: 1 - floor }, (_, index) => floor + index);
  const ticktext = tickvals.map((power) => (power === 0 ? "1" : `1e${power}`));
  return { zmin: floor, zmax: 0, colorscale: palette.weights, bar: { tickmode: "array", tickvals, ticktext }, shown: (row) => logs(row, floor) };
}

/**
 * A loop, for typed arrays' own `from` is twenty times as slow.
 * @param {ArrayLike<number>} row
 * @param {number} floor what is less is painted as this
 */
function logs(row, floor) {
  const found = new Float32Array(row.length);
  for (let cell = 0; cell < row.length; cell += 1) found[cell] = Math.max(floor, Math.log10(row[cell]));
  return found;
}

/** @type {WeakMap<Found, {key: string, picture: Picture}>} the canvas, the legend and the file show the same numbers */
const memory = new WeakMap();

/**
 * @param {Found} found
 * @param {string} stage
 * @param {LengthLook} look
 * @returns {Picture}
 */
export function lengthPicture(found, stage, look) {
  const key = lookKey(stage, look);
  const known = memory.get(found);
  if (known?.key === key) return known.picture;
  const picture = painted(found, stage, look);
  memory.set(found, { key, picture });
  return picture;
}

/**
 * What makes two looks paint alike.
 * @param {string} stage
 * @param {LengthLook} look
 */
export function lookKey(stage, { palette, scale, reach, keys }) {
  return [stage, scale, reach, keys, palette.paper, palette.weights[1][1]].join();
}

/**
 * @param {Found} found
 * @param {string} stage
 * @param {LengthLook} look
 * @returns {Picture}
 */
function painted(found, stage, look) {
  const scale = lengthScale(stage, look);
  const values = stage === "allowed" ? found.masked : found.z;
  const z = scale.shown ? values.map(scale.shown) : values;
  const cells = STAGES[stage].columns === "key" && stage !== "allowed";
  const allowed = cells ? found.masked.map(someVisible) : null;
  const marks = marksOf(values, allowed, coverOf(stage, false));
  return { stage, values, z, marks, allowed, scale, label: isWeights(stage) ? (value) => value.toPrecision(2) : brief };
}

/** @param {ArrayLike<number>} shares */
function someVisible(shares) {
  const found = new Uint8Array(shares.length);
  for (let cell = 0; cell < shares.length; cell += 1) found[cell] = Number(shares[cell] < ALL);
  return found;
}

/**
 * Red, green, blue and alpha of every cell that has come, row after row; the others are clear.
 * @param {Picture} picture
 * @param {number} came rows
 * @param {Palette} palette
 */
export function picturePixels({ z, marks, scale }, came, palette) {
  const pixels = pixelColours({ z, ...scale });
  const { masked, minusInfinity, plusInfinity, nan, clipped } = palette;
  const colours = [masked, minusInfinity, plusInfinity, nan, clipped, clipped].map(channels);
  for (let row = 0; row < came; row += 1) {
    const line = marks[row];
    for (let column = 0, at = 4 * row * line.length; column < line.length; column += 1, at += 4) {
      const mark = line[column];
      if (mark > 0) [pixels[at], pixels[at + 1], pixels[at + 2], pixels[at + 3]] = colours[mark - 1];
    }
  }
  return pixels.fill(0, came * 4 * (z[0]?.length ?? 0));
}

/**
 * How much of each cell the masks hide, as alpha alone: what the hatching is cut out with.
 * @param {Found} found
 */
export function hatchPixels({ masked, came }) {
  const width = masked[0]?.length ?? 0;
  const pixels = new Uint8ClampedArray(4 * width * masked.length);
  let any = false;
  for (let row = 0; row < came; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const share = masked[row][column];
      if (share > 0) any = Boolean((pixels[4 * (row * width + column) + 3] = 64 + 191 * share));
    }
  }
  return any ? pixels : null;
}

/** @param {string} colour #rrggbb */
function channels(colour) {
  const numbers = painter({ zmin: 0, zmax: 1, colorscale: [[0, colour], [1, colour]] })(0)?.match(/\d+/g) ?? [];
  return [...numbers.map(Number), 255];
}

/** @typedef {{has: (mark: number) => boolean, partly: boolean}} Occurring */

/** @type {WeakMap<Picture, Occurring>} */
const seen = new WeakMap();

/**
 * Which marks occur, for the legend, and whether cells are masked in part.
 * @param {Picture} picture
 * @param {Found} found
 * @returns {Occurring}
 */
export function occurring(picture, found) {
  const known = seen.get(picture) ?? occurringIn(picture, found);
  seen.set(picture, known);
  return known;
}

/**
 * @param {Picture} picture
 * @param {Found} found
 * @returns {Occurring}
 */
function occurringIn({ marks }, { masked, came }) {
  const there = new Uint8Array(8);
  let partly = false;
  for (let row = 0; row < came; row += 1) {
    const [line, shares] = [marks[row], masked[row]];
    for (let cell = 0; cell < line.length; cell += 1) {
      if (line[cell] >= MASKED) there[line[cell]] = 1;
      partly ||= shares[cell] > 0 && shares[cell] < ALL;
    }
  }
  return { has: (/** @type {number} */ mark) => there[mark] === 1, partly };
}

/**
 * The same picture with larger cells, for a map or a tile: the largest of the largest, or the mean of those means
 * that are numbers.
 * @param {Found} found
 * @param {number} most cells a side
 * @returns {Found}
 */
export function coarser(found, most) {
  const by = { rows: Math.ceil(found.z.length / most), cols: Math.ceil((found.z[0]?.length ?? 0) / most) };
  if (by.rows <= 1 && by.cols <= 1) return found;
  const rowEdges = thinned(found.rowEdges, by.rows);
  const colEdges = thinned(found.colEdges, by.cols);
  const size = { rows: rowEdges.length - 1, cols: colEdges.length - 1 };
  const came = found.finished ? size.rows : Math.floor(found.came / by.rows);
  const z = folded(found.z, size, by, came, found.reduced.how);
  return { ...found, rowEdges, colEdges, z, masked: folded(found.masked, size, by, came, "mean"), came };
}

/**
 * @param {number[]} edges
 * @param {number} by
 */
function thinned(edges, by) {
  return [...edges.slice(0, -1).filter((_, index) => index % by === 0), edges[edges.length - 1]];
}

/**
 * @param {ArrayLike<number>[]} rows
 * @param {{rows: number, cols: number}} size
 * @param {{rows: number, cols: number}} by
 * @param {number} came
 * @param {"max" | "mean"} how
 */
function folded(rows, size, by, came, how) {
  return Array.from({ length: size.rows }, (_, row) => {
    const line = new Float32Array(size.cols).fill(row < came ? -Infinity : NaN);
    const counts = new Uint32Array(size.cols);
    for (const cells of row < came ? rows.slice(row * by.rows, (row + 1) * by.rows) : []) {
      for (let column = 0; column < cells.length; column += 1) {
        const at = Math.floor(column / by.cols);
        if (how === "max") line[at] = Math.max(line[at], cells[column]);
        else if (cells[column] > -Infinity) line[at] = counts[at]++ ? line[at] + cells[column] : cells[column];
      }
    }
    return how === "max" ? line : line.map((sum, at) => (counts[at] ? sum / counts[at] : sum));
  });
}
