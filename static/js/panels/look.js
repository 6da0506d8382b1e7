/** How pictures are to be painted now: the colours, the scale and what is covered. */

import { paletteFor } from "../figures/palette.js";
import { isDark } from "../theme.js";

/**
 * @param {import("../state/types.js").View} view
 * @returns {import("../figures/picture.js").Look}
 */
export function lookOf({ theme, palette, showMasked, weightScale }) {
  return { palette: paletteFor(isDark(theme), palette), showMasked, weightScale };
}
