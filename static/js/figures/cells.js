/** The cells of a heatmap as rectangles of one colour each: a picture that stays sharp at any size. */

/** @typedef {{x: number, y: number, width: number, height: number}} Area */
/** @typedef {Area & {fill: string}} Rectangle */

/**
 * @param {any} trace a heatmap whose rows run down the picture
 * @param {Area} area that its cells cover
 * @returns {Rectangle[]}
 */
export function rectanglesOf(trace, area) {
  const { z, xgap = 0, ygap = 0 } = trace;
  const across = bordersOf(trace.x, z[0]?.length ?? 0, area.x, area.width);
  const down = bordersOf(trace.y, z.length, area.y, area.height);
  const colourOf = painter(trace);
  /** @type {Rectangle[]} */
  const rectangles = [];
  for (let row = 0; row < z.length; row += 1) {
    const [y, height] = [down[row] + ygap / 2, down[row + 1] - down[row] - ygap];
    for (let column = 0; column < z[row].length; column += 1) {
      const fill = colourOf(z[row][column]);
      if (!fill) continue;
      const last = rectangles.at(-1);
      const width = across[column + 1] - across[column] - xgap;
      const x = across[column] + xgap / 2;
      if (last && xgap === 0 && last.fill === fill && last.y === y && last.x + last.width === x) last.width += width;
      else rectangles.push({ x, y, width, height, fill });
    }
  }
  return rectangles;
}

/**
 * @param {ArrayLike<number> | undefined} edges in the axis' own units, or none for cells of one size
 * @param {number} count
 * @param {number} start
 * @param {number} size
 */
function bordersOf(edges, count, start, size) {
  const own = edges?.length === count + 1 ? Array.from(edges) : Array.from({ length: count + 1 }, (_, index) => index);
  return own.map((edge) => start + ((edge - own[0]) / (own[count] - own[0])) * size);
}

/**
 * Plotly's colours: straight lines in RGB between the points of the scale, the ends beyond it.
 * @param {{zmin: number, zmax: number, colorscale: [number, string][]}} trace
 * @returns {(value: number) => string | null} null where there is nothing to paint
 */
export function painter({ zmin, zmax, colorscale }) {
  const points = colorscale.map(([at, colour]) => /** @type {const} */ ([at, channels(colour)]));
  return (value) => {
    if (value === null || !Number.isFinite(value)) return null;
    const at = Math.max(0, Math.min(1, (value - zmin) / (zmax - zmin)));
    const next = Math.max(1, points.findIndex(([place], index) => index > 0 && place >= at));
    const [[low, from], [high, to]] = [points[next - 1], points[next]];
    const share = high === low ? 1 : (at - low) / (high - low);
    return `rgb(${from.map((channel, index) => Math.round(channel + share * (to[index] - channel))).join(",")})`;
  };
}

/** @param {string} colour #rrggbb */
function channels(colour) {
  return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
}

/** Steps of a colour scale: more than a screen can tell apart. */
const STEPS = 1024;

/**
 * Every cell as one pixel, red green blue and alpha, row after row.
 * @param {any} trace
 * @returns {Uint8ClampedArray<ArrayBuffer>}
 */
export function pixelColours(trace) {
  const { z, zmin, zmax } = trace;
  const width = z[0].length;
  const table = colourTable(trace.colorscale);
  const pixels = new Uint32Array(z.length * width);
  const scale = (STEPS - 1) / (zmax - zmin);
  for (let row = 0; row < z.length; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const value = z[row][column];
      if (!Number.isFinite(value)) continue;
      pixels[row * width + column] = table[Math.max(0, Math.min(STEPS - 1, Math.round((value - zmin) * scale)))];
    }
  }
  return new Uint8ClampedArray(pixels.buffer);
}

/** @type {Map<string, Uint32Array>} one for each of the few scales that the palettes have */
const tables = new Map();

/** @param {[number, string][]} colorscale */
function colourTable(colorscale) {
  const key = JSON.stringify(colorscale);
  const table = tables.get(key) ?? newTable(colorscale);
  tables.set(key, table);
  return table;
}

/** @param {[number, string][]} colorscale */
function newTable(colorscale) {
  const paint = painter({ zmin: 0, zmax: STEPS - 1, colorscale });
  return Uint32Array.from({ length: STEPS }, (_, step) => {
    const [red, green, blue] = (paint(step) ?? "").slice(4, -1).split(",").map(Number);
    return (255 << 24) | (blue << 16) | (green << 8) | red;
  });
}
