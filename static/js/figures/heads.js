/** Every head at once: one heatmap of tiles, KV groups bracketed in their colours. */

import { escaped } from "./labels.js";
import { hatchLines, hatchPath, hatchShape, marksTrace } from "./marks.js";
import { edgesOf, mosaicOf } from "./mosaic.js";
import { groupColour } from "./palette.js";

/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {import("./mosaic.js").Mosaic} Mosaic */
/** @typedef {import("./mosaic.js").Place} Place */

/**
 * @typedef {object} Tile
 * @property {import("./picture.js").Picture} picture
 * @property {string} title
 * @property {number | null} kv the KV head it belongs to; null for none
 */

/**
 * @typedef {object} HeadsInput
 * @property {Tile[]} tiles
 * @property {number} group heads that share a KV head and stand together; 1 where they do not
 * @property {number} width
 * @property {Palette} palette
 */

const LEAST_HATCHED_PX = 6;

/**
 * @param {HeadsInput} input
 * @returns {{data: object[], layout: Record<string, any>, mosaic: Mosaic, rows: number, columns: number}} rows and columns of each tile
 */
export function headsFigure(input) {
  const { tiles, group, width } = input;
  const { T, S } = sizes(tiles);
  const mosaic = mosaicOf(tiles.length, group, T, S, width - 2);
  return { data: traces(input, mosaic), layout: layoutOf(input, mosaic), mosaic, rows: T, columns: S };
}

/** @param {Tile[]} tiles */
function sizes([{ picture }]) {
  return { T: picture.z.length, S: picture.z[0].length };
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function traces({ tiles, palette }, mosaic) {
  const { T, S } = sizes(tiles);
  const across = edgesOf(distinct(mosaic.tiles.map((tile) => tile.x)), mosaic.tileWidth, S, mosaic.gaps.across);
  const down = edgesOf(distinct(mosaic.tiles.map((tile) => tile.y)), mosaic.tileHeight, T, mosaic.gaps.down);
  const place = { x: across.edges, y: down.edges };
  const { zmin, zmax, colorscale } = tiles[0].picture.scale;
  const pictures = tiles.map(({ picture }) => picture);
  const values = assembled(pictures.map(({ z }) => z), mosaic, across.places, down.places);
  const marks = assembled(pictures.map((picture) => picture.marks), mosaic, across.places, down.places);
  return [
    { type: "heatmap", z: values, ...place, zmin, zmax, colorscale, showscale: false, hoverinfo: "none" },
    { ...marksTrace(marks, palette), text: undefined, texttemplate: "", ...place },
  ];
}

/** @param {number[]} values */
function distinct(values) {
  return [...new Set(values)];
}

/**
 * The tiles in one matrix, NaN in the gaps between them.
 * @param {ArrayLike<number>[][]} tiles
 * @param {Mosaic} mosaic
 * @param {(Place | null)[]} across
 * @param {(Place | null)[]} down
 */
function assembled(tiles, { columns }, across, down) {
  const blank = new Float64Array(across.length).fill(NaN);
  const starts = across.flatMap((place, index) => (place?.cell === 0 ? [index] : []));
  return down.map((place) => {
    if (!place) return blank;
    const row = blank.slice();
    starts.forEach((start, beside) => {
      const cells = tiles[place.tile * columns + beside]?.[place.cell];
      if (cells) row.set(cells, start);
    });
    return row;
  });
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function layoutOf(input, mosaic) {
  const axis = { visible: false, fixedrange: true };
  return {
    width: mosaic.width + 2,
    height: mosaic.height,
    margin: { l: 0, r: 0, t: 0, b: 0 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, sans-serif", size: 12, color: input.palette.ink },
    dragmode: false,
    hovermode: "closest",
    xaxis: { ...axis, range: [-1, mosaic.width + 1] },
    yaxis: { ...axis, range: [mosaic.height, 0] },
    shapes: [...hatching(input, mosaic), ...frames(input, mosaic), ...brackets(input, mosaic)],
    annotations: titles(input, mosaic),
  };
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function hatching({ tiles, palette }, mosaic) {
  const { T, S } = sizes(tiles);
  const [width, height] = [mosaic.tileWidth / S, mosaic.tileHeight / T];
  if (Math.min(width, height) < LEAST_HATCHED_PX) return [];
  const path = tiles.map(({ picture: { allowed } }, index) =>
    allowed ? hatchPath(allowed, hatchLines(width), { ...mosaic.tiles[index], width, height }) : "",
  );
  return tiles.some(({ picture: { allowed } }) => allowed) ? [hatchShape(path.join(""), palette)] : [];
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function frames({ palette }, { tiles, tileWidth, tileHeight }) {
  const corners = tiles.map(({ x, y }) => `M${x},${y}H${x + tileWidth}V${y + tileHeight}H${x}Z`);
  return [{ type: "path", path: corners.join(""), line: { color: palette.frame, width: 1 } }];
}

/**
 * A line in the group's colour over neighbours that read one KV head.
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function brackets({ tiles, palette }, { tiles: corners, tileWidth, columns }) {
  const starts = tiles.map((_, index) => index).filter((index) => index % columns === 0 || tiles[index].kv !== tiles[index - 1].kv);
  return starts.flatMap((first, index) => {
    const { kv } = tiles[first];
    if (kv === null) return [];
    const last = (starts[index + 1] ?? tiles.length) - 1;
    const y = corners[first].y - 23;
    return {
      type: "path",
      path: `M${corners[first].x + 1},${y + 4}V${y}H${corners[last].x + tileWidth - 1}V${y + 4}`,
      line: { color: groupColour(palette, kv), width: 2 },
    };
  });
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function titles({ tiles, palette }, { tiles: corners }) {
  return tiles.map(({ title }, index) => ({
    x: corners[index].x,
    y: corners[index].y - 2,
    xanchor: "left",
    yanchor: "bottom",
    showarrow: false,
    captureevents: true,
    borderpad: 0,
    text: escaped(title),
    font: { size: 11, color: palette.muted },
  }));
}

/**
 * The cell of the cursor in every tile, as one path of rectangles in pixels.
 * @param {Mosaic} mosaic
 * @param {{row: number, column: number | null}} place
 * @param {number} rows cells down a tile
 * @param {number} columns cells across
 */
export function cursorPath({ tiles, tileWidth, tileHeight }, { row, column }, rows, columns) {
  const height = tileHeight / rows;
  const width = column === null ? tileWidth : tileWidth / columns;
  const left = column === null ? 0 : column * width;
  return tiles.map(({ x, y }) => `M${x + left + 1},${y + row * height}h${width}v${height}h${-width}z`).join("");
}

/**
 * A frame around one tile, over the figure rather than in it: choosing a head then redraws nothing.
 * @param {Mosaic} mosaic
 * @param {number} tile -1 for none
 */
export function framePath({ tiles, tileWidth, tileHeight }, tile) {
  if (tile < 0) return "";
  const { x, y } = tiles[tile];
  return `M${x + 1},${y}h${tileWidth}v${tileHeight}h${-tileWidth}z`;
}
