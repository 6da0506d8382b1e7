/** Cells of long runs on a canvas: each picture is painted once, a pixel a cell, and then only stretched. */

import { hatchPixels, lengthPicture, lookKey, picturePixels } from "../figures/length_picture.js";

/** @typedef {import("../api/view.js").Found} Found */
/** @typedef {import("../figures/length_picture.js").LengthLook} LengthLook */
/** @typedef {{rows: [number, number], cols: [number, number]}} Ranges what the canvas shows */

/** Distance of the lines over masked cells, in CSS pixels, as in the legend. */
const HATCH_PX = 8;

/** @typedef {{key: string, cells: HTMLCanvasElement, hatch: HTMLCanvasElement | null}} Painted */

/** @type {WeakMap<Found, Painted>} */
const memory = new WeakMap();

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{width: number, height: number}} size in CSS pixels
 * @param {Ranges} ranges
 * @param {(Found | null)[]} layers the sharper ones last
 * @param {string} stage
 * @param {LengthLook} look
 */
export function paintLayers(canvas, { width, height }, ranges, layers, stage, look) {
  const density = window.devicePixelRatio || 1;
  const [wide, tall] = [Math.round(width * density), Math.round(height * density)];
  if (canvas.width !== wide || canvas.height !== tall) Object.assign(canvas, { width: wide, height: tall });
  const paper = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  paper.clearRect(0, 0, wide, tall);
  paper.imageSmoothingEnabled = false;
  const over = scratch(wide, tall);
  let hatched = false;
  for (const found of layers) {
    if (!found || found.came === 0) continue;
    const painted = paintedOf(found, stage, look);
    const place = placeOf(found, ranges, wide, tall);
    stretch(paper, painted.cells, place);
    stretch(over, painted.hatch, place);
    hatched ||= painted.hatch !== null;
  }
  if (hatched) layHatching(paper, over, look.palette.hatch, density);
}

/**
 * @param {Found} found
 * @param {string} stage
 * @param {LengthLook} look
 * @returns {Painted}
 */
function paintedOf(found, stage, look) {
  const { palette } = look;
  const key = lookKey(stage, look);
  const known = memory.get(found);
  if (known?.key === key) return known;
  const picture = lengthPicture(found, stage, look);
  const cells = canvasOf(picturePixels(picture, found.came, palette), found);
  const pixels = stage === "allowed" ? null : hatchPixels(found);
  const painted = { key, cells, hatch: pixels && canvasOf(pixels, found) };
  memory.set(found, painted);
  return painted;
}

/**
 * @param {Uint8ClampedArray<ArrayBuffer>} pixels
 * @param {Found} found
 */
function canvasOf(pixels, { z }) {
  const canvas = document.createElement("canvas");
  canvas.width = z[0].length;
  canvas.height = z.length;
  canvas.getContext("2d")?.putImageData(new ImageData(pixels, canvas.width, canvas.height), 0, 0);
  return canvas;
}

/** @typedef {{x: number, y: number, width: number, height: number, clip: [number, number, number, number], came: number}} Place */

/**
 * Where a picture lies on the canvas: its last cells may be cut short by the end of the matrix.
 * @param {Found} found
 * @param {Ranges} ranges
 * @param {number} wide
 * @param {number} tall
 * @returns {Place}
 */
function placeOf({ rowEdges, colEdges, z, came }, { rows, cols }, wide, tall) {
  const across = wide / (cols[1] - cols[0]);
  const down = tall / (rows[1] - rows[0]);
  const x = (colEdges[0] - cols[0]) * across;
  const y = (rowEdges[0] - rows[0]) * down;
  const cell = { width: (colEdges[1] - colEdges[0]) * across, height: (rowEdges[1] - rowEdges[0]) * down };
  const width = (colEdges[colEdges.length - 1] - colEdges[0]) * across;
  const height = (rowEdges[came] - rowEdges[0]) * down;
  return { x, y, width: cell.width * z[0].length, height: cell.height * came, clip: [x, y, width, height], came };
}

/**
 * @param {CanvasRenderingContext2D} paper
 * @param {HTMLCanvasElement | null} picture null clears its place
 * @param {Place} place
 */
function stretch(paper, picture, { x, y, width, height, clip, came }) {
  paper.save();
  paper.beginPath();
  paper.rect(...clip);
  paper.clip();
  paper.clearRect(...clip);
  if (picture) paper.drawImage(picture, 0, 0, picture.width, came, x, y, width, height);
  paper.restore();
}

/** @type {HTMLCanvasElement | null} */
let spare = null;

/**
 * @param {number} wide
 * @param {number} tall
 */
function scratch(wide, tall) {
  spare ??= document.createElement("canvas");
  if (spare.width !== wide || spare.height !== tall) Object.assign(spare, { width: wide, height: tall });
  const paper = /** @type {CanvasRenderingContext2D} */ (spare.getContext("2d"));
  paper.globalCompositeOperation = "source-over";
  paper.clearRect(0, 0, wide, tall);
  paper.imageSmoothingEnabled = false;
  return paper;
}

/**
 * Lines that are as strong as the share of a cell that is masked.
 * @param {CanvasRenderingContext2D} paper
 * @param {CanvasRenderingContext2D} over
 * @param {string} colour
 * @param {number} density
 */
function layHatching(paper, over, colour, density) {
  over.globalCompositeOperation = "source-in";
  over.fillStyle = /** @type {CanvasPattern} */ (over.createPattern(linesOf(colour, Math.round(HATCH_PX * density), density), "repeat"));
  over.fillRect(0, 0, over.canvas.width, over.canvas.height);
  paper.drawImage(over.canvas, 0, 0);
}

/**
 * @param {string} colour
 * @param {number} side
 * @param {number} density
 */
function linesOf(colour, side, density) {
  const tile = document.createElement("canvas");
  Object.assign(tile, { width: side, height: side });
  const paper = /** @type {CanvasRenderingContext2D} */ (tile.getContext("2d"));
  paper.strokeStyle = colour;
  paper.lineWidth = density;
  paper.beginPath();
  for (const shift of [-side, 0, side]) {
    paper.moveTo(shift - 1, side + 1);
    paper.lineTo(shift + side + 1, -1);
  }
  paper.stroke();
  return tile;
}
