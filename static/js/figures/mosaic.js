/** Where each head's tile lies in the overview, in pixels, and which tile a point is in. */

const GUTTER_PX = 14;
const TITLE_PX = 26;
const ROW_GAP_PX = 10;
const LEAST_TILE_PX = 72;
const MOST_TILE_PX = 144;
/** A lone head is shown large below anyway. */
const MOST_LONE_TILE_PX = 104;
/** From this many cells a side the gaps are whole cells: Plotly paints an even grid ten times as fast. */
const MANY_CELLS = 24;

/**
 * @typedef {object} Mosaic
 * @property {number} columns tiles beside each other
 * @property {number} tileWidth
 * @property {number} tileHeight
 * @property {number} width
 * @property {number} height
 * @property {{x: number, y: number}[]} tiles upper left corner of each head's cells
 * @property {{across: number, down: number}} gaps cells that lie between two tiles
 */
/** @typedef {{tile: number, cell: number}} Place tile along the axis, and cell within it */

/**
 * Rows are filled so that the heads of one KV group stand together.
 * @param {number} H
 * @param {number} K
 * @param {number} T
 * @param {number} S
 * @param {number} width
 * @returns {Mosaic}
 */
export function mosaicOf(H, K, T, S, width) {
  const columns = columnsFor(H, H / K, width);
  const tileWidth = Math.min(H === 1 ? MOST_LONE_TILE_PX : MOST_TILE_PX, (width - GUTTER_PX * (columns - 1)) / columns);
  const tileHeight = Math.max(28, Math.min(1.5 * tileWidth, (tileWidth * T) / S));
  const across = gapOf(GUTTER_PX, tileWidth, S);
  const down = gapOf(TITLE_PX + ROW_GAP_PX, tileHeight, T);
  const tiles = Array.from({ length: H }, (_, head) => ({
    x: (head % columns) * (tileWidth + across.pixels),
    y: Math.floor(head / columns) * (tileHeight + down.pixels) + TITLE_PX,
  }));
  const height = Math.ceil(Math.ceil(H / columns) * (tileHeight + down.pixels));
  return { columns, tileWidth, tileHeight, width, height, tiles, gaps: { across: across.cells, down: down.cells } };
}

/**
 * Never wider than asked, for the last tile must stay in the picture.
 * @param {number} pixels
 * @param {number} size of a tile
 * @param {number} cells in a tile
 */
function gapOf(pixels, size, cells) {
  if (cells < MANY_CELLS) return { cells: 1, pixels };
  const whole = Math.max(1, Math.floor((pixels * cells) / size));
  return { cells: whole, pixels: (whole * size) / cells };
}

/**
 * @param {number} H
 * @param {number} G
 * @param {number} width
 */
function columnsFor(H, G, width) {
  const whole = Array.from({ length: H }, (_, index) => H - index).filter((n) => n % G === 0 || G % n === 0);
  return whole.find((n) => (width - GUTTER_PX * (n - 1)) / n >= LEAST_TILE_PX) ?? 1;
}

/**
 * @param {Mosaic} mosaic
 * @param {number} x
 * @param {number} y
 * @returns {number | null} the head whose tile or title is there
 */
export function headAt({ tiles, tileWidth, tileHeight }, x, y) {
  const head = tiles.findIndex(
    (tile) => x >= tile.x && x <= tile.x + tileWidth && y >= tile.y - TITLE_PX && y <= tile.y + tileHeight,
  );
  return head < 0 ? null : head;
}

/**
 * Edges of cells along one axis: the tiles' cells, and the cells of each gap between tiles.
 * @param {number[]} starts of the tiles, from the first
 * @param {number} size of a tile
 * @param {number} cells in a tile
 * @param {number} gap cells between two tiles
 * @returns {{edges: number[], places: (Place | null)[]}} places: null in a gap
 */
export function edgesOf(starts, size, cells, gap) {
  /** @type {number[]} */
  const edges = [];
  /** @type {(Place | null)[]} */
  const places = [];
  starts.forEach((start, tile) => {
    for (let cell = 0; cell < cells; cell += 1) {
      edges.push(start + (cell * size) / cells);
      places.push({ tile, cell });
    }
    const [end, next] = [start + size, starts[tile + 1]];
    if (next === undefined) return edges.push(end);
    for (let cell = 0; cell < gap; cell += 1) {
      edges.push(end + (cell * (next - end)) / gap);
      places.push(null);
    }
    return undefined;
  });
  return { edges, places };
}
