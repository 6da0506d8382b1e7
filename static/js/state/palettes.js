/** The names of the sequential colours to choose from; "lake" is the page's own. */

export const PALETTES = /** @type {const} */ (["lake", "cividis", "viridis", "greys"]);
