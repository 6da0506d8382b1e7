/**
 * New numbers in a frame that Plotly has drawn: only the pictures of the cells and the hatching are made anew, which
 * takes a small part of the time of a whole drawing. Plotly's own record is kept true, so that its next drawing is right.
 */

import { pixelColours } from "./figures/cells.js";
import { same } from "./figures/change.js";

/** @typedef {import("./plot.js").Figure} Figure */
/** @typedef {{c2p: (value: number) => number, _offset: number}} Axis Plotly's, linear */

const XLINK = "http://www.w3.org/1999/xlink";

/**
 * @param {import("./plot.js").GraphElement} element
 * @param {Figure} before
 * @param {Figure} figure of which only numbers of cells and paths of shapes are others
 * @returns {boolean} whether it could be done
 */
export function repaint(element, before, { data, layout }) {
  const images = [...element.querySelectorAll(".heatmaplayer .hm image")];
  const paths = (layout.shapes ?? []).map((/** @type {any} */ _, /** @type {number} */ index) => element.querySelector(`.shapelayer path[data-index="${index}"]`));
  const plain = data.every((/** @type {any} */ trace) => trace.type === "heatmap" && !trace.texttemplate);
  if (!plain || images.length !== data.length || !paths.every(Boolean)) return false;
  if (!data.every((trace, index) => canRepaint(trace, images[index]))) return false;
  const { calcdata, _fullData: traces, _fullLayout: drawn } = /** @type {any} */ (element);
  data.forEach((/** @type {any} */ trace, index) => {
    if (same(/** @type {any} */ (before.data[index]).z, trace.z)) return;
    images[index].setAttributeNS(XLINK, "xlink:href", pictureOf(trace, images[index], drawn));
    traces[index].z = trace.z;
    calcdata[index][0].z = trace.z;
  });
  layout.shapes?.forEach((/** @type {any} */ { path }, /** @type {number} */ index) => {
    if (path === before.layout.shapes[index].path) return;
    paths[index].setAttribute("d", inPixels(path, drawn));
    drawn.shapes[index].path = path;
    drawn.shapes[index]._input.path = path;
  });
  /** @type {any} */ (element).data = data;
  return true;
}

/**
 * @param {any} trace
 * @param {Element} image
 */
function canRepaint(trace, image) {
  return isOnePixelACell(image) || (trace.xgap > 0 && !trace.x && !trace.y);
}

/** @param {Element} image */
function isOnePixelACell(image) {
  return /pixelated/.test(image.getAttribute("style") ?? "");
}

/**
 * @param {any} trace
 * @param {Element} image
 * @param {{xaxis: Axis, yaxis: Axis}} axes
 */
function pictureOf(trace, image, axes) {
  const cells = canvasOf(trace.z[0].length, trace.z.length);
  contextOf(cells).putImageData(new ImageData(pixelColours(trace), cells.width, cells.height), 0, 0);
  return (isOnePixelACell(image) ? cells : withGaps(cells, trace, image, axes)).toDataURL();
}

/**
 * As Plotly draws them: whole pixels, the gap behind each cell.
 * @param {HTMLCanvasElement} cells a pixel each
 * @param {any} trace
 * @param {Element} image
 * @param {{xaxis: Axis, yaxis: Axis}} axes
 */
function withGaps(cells, { xgap, ygap }, image, { xaxis, yaxis }) {
  const [left, top, width, height] = ["x", "y", "width", "height"].map((name) => Number(image.getAttribute(name)));
  const canvas = canvasOf(width, height);
  const context = contextOf(canvas);
  context.imageSmoothingEnabled = false;
  const across = Array.from({ length: cells.width + 1 }, (_, index) => Math.round(xaxis.c2p(index - 0.5) - left));
  const down = Array.from({ length: cells.height + 1 }, (_, index) => Math.round(yaxis.c2p(index - 0.5) - top));
  for (let row = 0; row < cells.height; row += 1) {
    for (let column = 0; column < cells.width; column += 1) {
      const [x, y] = [across[column], down[row]];
      context.drawImage(cells, column, row, 1, 1, x + Math.floor(xgap / 2), y + Math.floor(ygap / 2), across[column + 1] - x - xgap, down[row + 1] - y - ygap);
    }
  }
  return canvas;
}

/**
 * A path in the axes' units, of commands M and L, as it stands in the drawing.
 * @param {string} path
 * @param {{xaxis: Axis, yaxis: Axis}} axes
 */
function inPixels(path, { xaxis, yaxis }) {
  return path.replace(/([-\d.]+),([-\d.]+)/g, (_, x, y) => `${xaxis._offset + xaxis.c2p(Number(x))},${yaxis._offset + yaxis.c2p(Number(y))}`);
}

/**
 * @param {number} width
 * @param {number} height
 */
function canvasOf(width, height) {
  return Object.assign(document.createElement("canvas"), { width, height });
}

/** @param {HTMLCanvasElement} canvas */
function contextOf(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}
