/** Files of a figure: SVG with its cells as shapes, and PNG painted from it at any size. */

import { rectanglesOf } from "./figures/cells.js";
import { FONT_PX, layoutWidth } from "./figures/paper.js";
import { imageOf } from "./plot.js";
import { withResolution } from "./png.js";
import { svg as element } from "./dom.js";

/** Beyond so many cells an SVG keeps them as a picture: as shapes they would choke its readers. */
const MOST_SHAPES = 20_000;
const PX_PER_INCH = 96;
const MM_PER_INCH = 25.4;

/** @typedef {{width: number, unit: "mm" | "px", fontSize: number, dpi: number}} Form width of the picture; font size in points */
/** @typedef {{data: any[], layout: Record<string, any>}} Drawing */

/**
 * CSS pixels of the finished picture, and of the layout it is enlarged from.
 * @param {Form} form
 */
export function sizesOf({ width, unit, fontSize }) {
  const finished = unit === "mm" ? (width / MM_PER_INCH) * PX_PER_INCH : width;
  const fontPx = (fontSize / 72) * PX_PER_INCH;
  return { finished, layout: layoutWidth(finished, fontPx), enlarged: fontPx / FONT_PX };
}

/**
 * @param {Drawing} drawing laid out at the size `sizesOf` says
 * @param {Form} form
 * @returns {Promise<string>}
 */
export async function svgOf(drawing, form) {
  const { width, height } = drawing.layout;
  const address = await imageOf(drawing, { format: "svg", width, height, scale: 1 });
  const source = decodeURIComponent(address.slice(address.indexOf(",") + 1));
  const tree = new DOMParser().parseFromString(source, "image/svg+xml");
  asShapes(tree, drawing.data);
  const { enlarged } = sizesOf(form);
  const per = form.unit === "mm" ? MM_PER_INCH / PX_PER_INCH : 1;
  for (const [name, pixels] of Object.entries({ width, height })) {
    tree.documentElement.setAttribute(name, `${round(pixels * enlarged * per)}${form.unit === "mm" ? "mm" : ""}`);
  }
  return new XMLSerializer().serializeToString(tree);
}

/** @param {number} value */
function round(value) {
  return Math.round(value * 100) / 100;
}

/**
 * Plotly paints a heatmap as one small picture, which readers of SVG blur when they enlarge it.
 * @param {Document} tree
 * @param {any[]} data
 */
function asShapes(tree, data) {
  const traces = data.filter(({ type }) => type === "heatmap");
  const images = [...tree.querySelectorAll(".heatmaplayer .hm image")];
  const cells = traces.reduce((sum, { z }) => sum + z.length * (z[0]?.length ?? 0), 0);
  if (images.length !== traces.length || cells > MOST_SHAPES) return;
  images.forEach((image, index) => {
    const area = { x: side(image, "x"), y: side(image, "y"), width: side(image, "width"), height: side(image, "height") };
    const shapes = rectanglesOf(traces[index], area).map((rectangle) => element("rect", rounded(rectangle)));
    image.replaceWith(element("g", { "shape-rendering": traces[index].xgap ? null : "crispEdges" }, shapes));
  });
}

/** @param {import("./figures/cells.js").Rectangle} rectangle */
function rounded({ fill, ...box }) {
  return { ...Object.fromEntries(Object.entries(box).map(([name, value]) => [name, round(value)])), fill };
}

/**
 * @param {Element} image
 * @param {string} name
 */
function side(image, name) {
  return Number(image.getAttribute(name));
}

/**
 * @param {Drawing} drawing
 * @param {Form} form in pixels the width is the file's own
 * @returns {Promise<Blob>}
 */
export async function pngOf(drawing, form) {
  const source = await svgOf(drawing, { ...form, unit: "px" });
  const { width, height } = drawing.layout;
  const scale = (sizesOf(form).enlarged * (form.unit === "mm" ? form.dpi / PX_PER_INCH : 1));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const picture = await loaded(source);
  canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
  const bytes = new Uint8Array(await (await blobOf(canvas)).arrayBuffer());
  return new Blob([withResolution(bytes, form.unit === "mm" ? form.dpi : PX_PER_INCH)], { type: "image/png" });
}

/**
 * @param {string} source
 * @returns {Promise<HTMLImageElement>}
 */
async function loaded(source) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await picture.decode();
  return picture;
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob>}
 */
function blobOf(canvas) {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("the picture is too large for this browser"))), "image/png");
  });
}
