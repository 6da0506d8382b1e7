/** Every head at once: one heatmap of tiles, KV groups bracketed in their colours. */

import { headRows } from "../api/tensors.js";
import { coverOf, hatchLines, hatchPath, hatchShape, marksOf, marksTrace } from "./marks.js";
import { edgesOf, mosaicOf } from "./mosaic.js";
import { groupColour } from "./palette.js";
import { scaleOf } from "./scales.js";

/** @typedef {import("./palette.js").Palette} Palette */
/** @typedef {import("./mosaic.js").Mosaic} Mosaic */
/** @typedef {import("./mosaic.js").Place} Place */

/**
 * @typedef {object} HeadsInput
 * @property {import("../api/answer.js").Answer} answer
 * @property {"weights" | "scores"} stage
 * @property {number} batch
 * @property {number} selected -1 for none
 * @property {number} width
 * @property {number} reach
 * @property {boolean} showMasked
 * @property {Palette} palette
 * @property {(head: number, kvHead: number) => string} title
 */

const LEAST_HATCHED_PX = 6;

/**
 * @param {HeadsInput} input
 * @returns {{data: object[], layout: Record<string, any>, mosaic: Mosaic}}
 */
export function headsFigure(input) {
  const { answer, width } = input;
  const [, H, T, S] = answer.tensors.weights.shape;
  const mosaic = mosaicOf(H, answer.layout.num_kv_heads, T, S, width - 2);
  return { data: traces(input, mosaic), layout: layoutOf(input, mosaic), mosaic };
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function traces({ answer, stage, batch, palette, reach, showMasked }, mosaic) {
  const { tensors } = answer;
  const [, H, T, S] = tensors.weights.shape;
  const heads = Array.from({ length: H }, (_, head) => headRows(tensors[stage], batch, head));
  const marks = heads.map((rows, head) =>
    marksOf(rows, headRows(tensors.allowed, batch, head), coverOf(stage, showMasked)),
  );
  const across = edgesOf(distinct(mosaic.tiles.map((tile) => tile.x)), mosaic.tileWidth, S, mosaic.gaps.across);
  const down = edgesOf(distinct(mosaic.tiles.map((tile) => tile.y)), mosaic.tileHeight, T, mosaic.gaps.down);
  const place = { x: across.edges, y: down.edges };
  return [
    {
      type: "heatmap",
      z: assembled(heads, mosaic, across.places, down.places),
      ...place,
      ...scaleOf(stage, palette, reach),
      showscale: false,
      hoverinfo: "none",
    },
    { ...marksTrace(assembled(marks, mosaic, across.places, down.places), palette), text: undefined, texttemplate: "", ...place },
  ];
}

/** @param {number[]} values */
function distinct(values) {
  return [...new Set(values)];
}

/**
 * The tiles in one matrix, NaN in the gaps between them.
 * @param {ArrayLike<number>[][]} heads
 * @param {Mosaic} mosaic
 * @param {(Place | null)[]} across
 * @param {(Place | null)[]} down
 */
function assembled(heads, { columns }, across, down) {
  const blank = new Float64Array(across.length).fill(NaN);
  return down.map((place) => {
    if (!place) return blank;
    const row = blank.slice();
    for (let index = 0; index < across.length; index += 1) {
      const beside = across[index];
      const cells = beside && heads[place.tile * columns + beside.tile]?.[place.cell];
      if (beside && cells) row[index] = cells[beside.cell];
    }
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
    shapes: [...hatching(input, mosaic), ...frames(input, mosaic), ...brackets(input, mosaic), ...(input.selected < 0 ? [] : [outline(input, mosaic)])],
    annotations: titles(input, mosaic),
  };
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function hatching({ answer, batch, palette }, { tiles, tileWidth, tileHeight }) {
  const [, , T, S] = answer.tensors.weights.shape;
  const [width, height] = [tileWidth / S, tileHeight / T];
  if (Math.min(width, height) < LEAST_HATCHED_PX) return [];
  const path = tiles.map((tile, head) =>
    hatchPath(headRows(answer.tensors.allowed, batch, head), hatchLines(width), { ...tile, width, height }),
  );
  return path.join("") ? [hatchShape(path.join(""), palette)] : [];
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
 * A line in the group's colour over the heads that read one KV head.
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function brackets({ answer, palette }, { tiles, tileWidth, columns }) {
  const { kv_head_of: kvHeadOf } = answer.layout;
  const starts = tiles.map((_, head) => head).filter((head) => head % columns === 0 || kvHeadOf[head] !== kvHeadOf[head - 1]);
  return starts.map((first, index) => {
    const last = (starts[index + 1] ?? tiles.length) - 1;
    const y = tiles[first].y - 23;
    return {
      type: "path",
      path: `M${tiles[first].x + 1},${y + 4}V${y}H${tiles[last].x + tileWidth - 1}V${y + 4}`,
      line: { color: groupColour(palette, kvHeadOf[first]), width: 2 },
    };
  });
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function outline({ selected, palette }, { tiles, tileWidth, tileHeight }) {
  const { x, y } = tiles[Math.min(selected, tiles.length - 1)];
  return {
    type: "rect",
    x0: x,
    y0: y,
    x1: x + tileWidth,
    y1: y + tileHeight,
    line: { color: palette.selected, width: 2 },
  };
}

/**
 * @param {HeadsInput} input
 * @param {Mosaic} mosaic
 */
function titles({ answer, selected, palette, title }, { tiles }) {
  return tiles.map(({ x, y }, head) => ({
    x,
    y: y - 2,
    xanchor: "left",
    yanchor: "bottom",
    showarrow: false,
    captureevents: true,
    borderpad: 0,
    text: title(head, answer.layout.kv_head_of[head]),
    font: { size: 11, color: head === selected ? palette.ink : palette.muted, weight: head === selected ? 700 : 400 },
  }));
}
