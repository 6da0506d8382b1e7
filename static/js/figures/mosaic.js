/** Where each head's tile lies in the overview, in pixels, and which tile a point is in. */

const GUTTER_PX = 14;
const TITLE_PX = 26;
const ROW_GAP_PX = 10;
const LEAST_TILE_PX = 72;
const MOST_TILE_PX = 144;
/** A lone head is shown large below anyway. */
const MOST_LONE_TILE_PX = 104;

/**
 * @typedef {object} Mosaic
 * @property {number} columns tiles beside each other
 * @property {number} tileWidth
 * @property {number} tileHeight
 * @property {number} width
 * @property {number} height
 * @property {{x: number, y: number}[]} tiles upper left corner of each head's cells
 */

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
  const pitch = TITLE_PX + tileHeight + ROW_GAP_PX;
  const tiles = Array.from({ length: H }, (_, head) => ({
    x: (head % columns) * (tileWidth + GUTTER_PX),
    y: Math.floor(head / columns) * pitch + TITLE_PX,
  }));
  return { columns, tileWidth, tileHeight, width, height: Math.ceil(Math.ceil(H / columns) * pitch), tiles };
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
 * Edges of cells along one axis: the tiles' cells, and one wide cell for each gap between tiles.
 * @param {number[]} starts of the tiles, from the first
 * @param {number} size of a tile
 * @param {number} cells in a tile
 * @returns {{edges: number[], places: (number | null)[]}} places: the cell within its tile, null for a gap
 */
export function edgesOf(starts, size, cells) {
  /** @type {number[]} */
  const edges = [];
  /** @type {(number | null)[]} */
  const places = [];
  starts.forEach((start, index) => {
    if (index > 0) places.push(null);
    for (let cell = 0; cell <= cells; cell += 1) edges.push(start + (cell * size) / cells);
    for (let cell = 0; cell < cells; cell += 1) places.push(cell);
  });
  return { edges, places };
}
