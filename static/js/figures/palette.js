/** Colours of the pictures. Each means the same thing everywhere, and is told apart by the colour-blind. */

/** @typedef {[number, string][]} Scale */
/**
 * @typedef {object} Palette
 * @property {Scale} weights sequential, fixed 0…1
 * @property {Scale} scores diverging, centred at 0
 * @property {string} ink
 * @property {string} muted
 * @property {string} paper
 * @property {string} masked fill of a masked cell
 * @property {string} frame around a matrix
 * @property {string} hatch lines over a masked cell
 * @property {string} nan
 * @property {string} plusInfinity
 * @property {string} minusInfinity
 * @property {string} clipped a number outside the colours' scale
 * @property {string} onMark text on these marks
 * @property {string} visible a cell that no mask blocks, where masks are shown
 * @property {string[]} blockers one per mask, repeating after the last
 * @property {string} several a cell that more than one mask blocks
 * @property {string} selected
 * @property {string[]} groups one per KV head, repeating after the last
 */

/** @type {Palette} */
const LIGHT = {
  weights: [
    [0, "#fbfaf3"],
    [0.12, "#e4efcf"],
    [0.3, "#a9d8bb"],
    [0.5, "#58b5b8"],
    [0.7, "#2a86ae"],
    [0.85, "#255a97"],
    [1, "#1c2a66"],
  ],
  scores: [
    [0, "#5b3a8e"],
    [0.25, "#a593cc"],
    [0.5, "#f7f6f4"],
    [0.75, "#edaa5c"],
    [1, "#a84a06"],
  ],
  ink: "#1b1d22",
  muted: "#5c616b",
  paper: "#ffffff",
  masked: "#e3e4e7",
  frame: "#c9cad0",
  hatch: "#8b909a",
  nan: "#c2187a",
  plusInfinity: "#1b1d22",
  minusInfinity: "#4b5563",
  clipped: "#6b5f00",
  visible: "#fbfaf3",
  blockers: ["#9ecae1", "#fdc086", "#b3de9a", "#d4b9da", "#f4a6a6", "#c9b48a"],
  several: "#7a7f88",
  onMark: "#ffffff",
  selected: "#1b1d22",
  groups: ["#0b6fb8", "#bb520a", "#0c7d5c", "#a3308f", "#8a6d00", "#3f51c7", "#b3263c", "#4b6b2a"],
};

/** @type {Palette} */
const DARK = {
  weights: [
    [0, "#16181d"],
    [0.12, "#1d2f4a"],
    [0.3, "#1f5577"],
    [0.5, "#258090"],
    [0.7, "#52b196"],
    [0.85, "#a9d99a"],
    [1, "#fbf5b5"],
  ],
  scores: [
    [0, "#b79df2"],
    [0.25, "#675692"],
    [0.5, "#1c1e24"],
    [0.75, "#97622a"],
    [1, "#ffb561"],
  ],
  ink: "#eceef2",
  muted: "#a2a8b4",
  paper: "#121418",
  masked: "#2a2d34",
  frame: "#3d424c",
  hatch: "#6b717d",
  nan: "#ff6fbf",
  plusInfinity: "#f4f5f7",
  minusInfinity: "#8f98a8",
  clipped: "#d6e34a",
  visible: "#16181d",
  blockers: ["#2f6f96", "#9a5b1e", "#3f7d3a", "#7a5290", "#9c4347", "#77683c"],
  several: "#8b909a",
  onMark: "#121418",
  selected: "#f4f5f7",
  groups: ["#5fb4f2", "#f59a52", "#45cfa3", "#e58ad6", "#e0c04c", "#9aa8ff", "#ff8d9b", "#a5cf74"],
};

/**
 * Published sequential maps whose lightness runs one way; each is turned so that 0 is near the paper.
 * @type {Record<Exclude<typeof import("../state/palettes.js").PALETTES[number], "lake">, string[]>}
 */
const MAPS = {
  cividis: ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#e1cc55", "#fee838"],
  viridis: ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"],
  greys: ["#101010", "#3a3a3a", "#636363", "#8f8f8f", "#bcbcbc", "#f2f2f2"],
};

/**
 * @param {boolean} dark
 * @param {string} [name] of the sequential colours; an unknown one is "lake"
 * @returns {Palette}
 */
export function paletteFor(dark, name = "lake") {
  const palettes = dark ? DARK_ONES : LIGHT_ONES;
  return palettes[name] ?? palettes.lake;
}

/**
 * @param {string[]} colours
 * @returns {Scale}
 */
function evenly(colours) {
  return colours.map((colour, index) => [index / (colours.length - 1), colour]);
}

/**
 * @param {Palette} palette
 * @param {boolean} dark
 * @returns {Record<string, Palette>}
 */
function variants(palette, dark) {
  const others = Object.entries(MAPS).map(([name, map]) => [name, { ...palette, weights: evenly(dark ? map : [...map].reverse()) }]);
  return { lake: palette, ...Object.fromEntries(others) };
}

const LIGHT_ONES = variants(LIGHT, false);
const DARK_ONES = variants(DARK, true);

/**
 * @param {Palette} palette
 * @param {number} kvHead
 */
export function groupColour(palette, kvHead) {
  return palette.groups[kvHead % palette.groups.length];
}
