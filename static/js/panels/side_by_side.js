/** Three pictures of one stage: two runs, and how far they are apart. */

import { byId } from "../dom.js";
import { differencePicture, sidePicture } from "../figures/compare.js";
import { matrixFigure } from "../figures/matrix.js";
import { paletteFor } from "../figures/palette.js";
import { stageLabels } from "../figures/stages.js";
import { draw } from "../plot.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { isDark } from "../theme.js";
import { lookOf } from "./look.js";
import { stageName } from "./names.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/comparison.js").Comparison} Comparison */
/** @typedef {"compare" | "check" | "stability" | "readings"} Tab whose pictures they are */

export const SIDES = /** @type {const} */ (["a", "b", "difference"]);

/** Parts of the view that the pictures depend on. */
export const DRAWN = /** @type {const} */ (["batch", "head", "showMasked", "theme", "palette", "weightScale", "language"]);

const MOST_TALL_PX = 400;

/**
 * @param {Store} store
 * @param {Comparison} found
 * @param {Tab} tab
 */
export async function drawSides(store, found, tab) {
  await Promise.all(SIDES.map((side) => drawSide(store, found, tab, side)));
}

/**
 * @param {Store} store
 * @param {Comparison} found
 * @param {Tab} tab
 * @param {typeof SIDES[number]} side
 */
async function drawSide(store, found, tab, side) {
  const { view } = store.get();
  const { stage } = found;
  const look = { ...lookOf(view), dark: isDark(view.theme) };
  const { batch, head } = view;
  /** @param {typeof look} wish */
  const pictureWith = (wish) => (side === "difference" ? differencePicture(found, stage, batch, head, wish, maskWords(tab)) : sidePicture(found, side, stage, batch, head, wish, maskWords(tab)));
  const picture = pictureWith(look);
  byId(`${tab}-${side}-matrix`).hidden = !picture;
  if (!picture) return;
  const frame = byId(`${tab}-${side}-frame`);
  const labels = stageLabels(found[side === "b" ? "b" : "a"], stage, batch, picture.z[0].length);
  const { rows, columns } = STAGES[stage];
  const titles = { row: rows ? t(`selected.${rows}`) : "", column: t(`selected.${columns}`) };
  const names = { stage: stageName(stage), side: t(`${tab}.${side}`), rows: labels.rows.length, columns: labels.columns.length };
  frame.setAttribute("aria-label", t("compare.figure", names));
  const input = { picture, ...labels, titles, palette: look.palette, width: frame.clientWidth, tallest: MOST_TALL_PX };
  await draw(byId(`${tab}-${side}-figure`), {
    ...matrixFigure(input),
    title: t("export.compareTitle", { ...names, head }),
    bar: STAGES[stage].kind === "masks" ? "" : names.stage,
    repaint: (palette, width) => {
      const again = pictureWith({ ...look, palette, dark: palette === paletteFor(true, view.palette) });
      return again ? matrixFigure({ ...input, picture: again, palette, width, tallest: Infinity }) : matrixFigure(input);
    },
  });
}

/**
 * What the colours of masks stand for, beside the colour bar.
 * @param {Tab} tab
 */
function maskWords(tab) {
  const own = tab === "readings" ? tab : "compare";
  return {
    visible: t("legend.visible"),
    masked: t("legend.masked"),
    onlyA: t(`${own}.onlyA`),
    both: t("compare.sameMask"),
    onlyB: t(`${own}.onlyB`),
  };
}
