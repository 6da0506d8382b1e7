/** Where each tile lies in the overview, in pixels, and which tile a point is in. */

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
 * @property {{x: number, y: number}[]} tiles upper left corner of each tile's cells
 * @property {{across: number, down: number}} gaps cells that lie between two tiles
 */
/** @typedef {{tile: number, cell: number}} Place tile along the axis, and cell within it */

/**
 * Rows are filled so that the heads of one KV group stand together.
 * @param {number} count tiles
 * @param {number} G heads of a group, 1 where groups do not matter
 * @param {number} rows cells down each tile
 * @param {number} columns cells across
 * @param {number} width
 * @returns {Mosaic}
 */
export function mosaicOf(count, G, rows, columns, width) {
  const across = columnsFor(count, G, width);
  const tileWidth = Math.min(mostWide(count, rows, columns), (width - GUTTER_PX * (across - 1)) / across);
  const tileHeight = Math.max(28, Math.min(1.5 * tileWidth, (tileWidth * rows) / columns));
  const beside = gapOf(GUTTER_PX, tileWidth, columns);
  const down = gapOf(TITLE_PX + ROW_GAP_PX, tileHeight, rows);
  const tiles = Array.from({ length: count }, (_, index) => ({
    x: (index % across) * (tileWidth + beside.pixels),
    y: Math.floor(index / across) * (tileHeight + down.pixels) + TITLE_PX,
  }));
  const height = Math.ceil(Math.ceil(count / across) * (tileHeight + down.pixels));
  return { columns: across, tileWidth, tileHeight, width, height, tiles, gaps: { across: beside.cells, down: down.cells } };
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
 * Few tokens of many dimensions may stretch, for such a tile is low.
 * @param {number} count
 * @param {number} rows
 * @param {number} columns
 */
function mostWide(count, rows, columns) {
  const usual = count === 1 ? MOST_LONE_TILE_PX : MOST_TILE_PX;
  return columns === 1 ? LEAST_TILE_PX : usual * Math.min(6, Math.max(1, columns / (2 * rows)));
}

/**
 * @param {number} count
 * @param {number} G
 * @param {number} width
 */
function columnsFor(count, G, width) {
  const whole = Array.from({ length: count }, (_, index) => count - index).filter((n) => n % G === 0 || G % n === 0);
  return whole.find((n) => (width - GUTTER_PX * (n - 1)) / n >= LEAST_TILE_PX) ?? 1;
}

/**
 * @param {Mosaic} mosaic
 * @param {number} x
 * @param {number} y
 * @returns {number | null} the tile, or the one whose title is there
 */
export function tileAt({ tiles, tileWidth, tileHeight }, x, y) {
  const found = tiles.findIndex(
    (tile) => x >= tile.x && x <= tile.x + tileWidth && y >= tile.y - TITLE_PX && y <= tile.y + tileHeight,
  );
  return found < 0 ? null : found;
}

/**
 * @param {Mosaic} mosaic
 * @param {number} tile
 * @param {number} x
 * @param {number} y
 * @param {number} rows cells down
 * @param {number} columns cells across
 * @returns {{row: number, column: number} | null} the cell of a tile at a point; null in its title
 */
export function cellAt({ tiles, tileWidth, tileHeight }, tile, x, y, rows, columns) {
  const row = Math.floor(((y - tiles[tile].y) / tileHeight) * rows);
  const column = Math.floor(((x - tiles[tile].x) / tileWidth) * columns);
  return row < 0 || column < 0 ? null : { row: Math.min(row, rows - 1), column: Math.min(column, columns - 1) };
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
