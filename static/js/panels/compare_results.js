/** The comparison that was answered: a line a stage, and the chosen stage as A, B and A − B. */

import { byId } from "../dom.js";
import { differencePicture, sidePicture } from "../figures/compare.js";
import { matrixFigure } from "../figures/matrix.js";
import { paletteFor } from "../figures/palette.js";
import { stageLabels } from "../figures/stages.js";
import { draw } from "../plot.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { isDark, onSystemTheme } from "../theme.js";
import { SIDES, mountCompareCursor } from "./compare_cursor.js";
import { showStages } from "./compare_table.js";
import { lookOf } from "./look.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/comparison.js").Comparison} Comparison */
/** @typedef {import("../strings.js").Key} Key */

const MOST_TALL_PX = 400;
const DRAWN = /** @type {const} */ (["batch", "head", "showMasked", "theme", "palette", "weightScale", "language"]);

/** @param {Store} store */
export function mountCompareResults(store) {
  /** @type {Comparison | null} */
  let found = null;
  const cursor = mountCompareCursor(store, () => found);
  const render = async () => {
    byId("compare-results").hidden = !found;
    if (!found) return;
    showStages(store, found);
    await drawStage(store, found);
    cursor.render();
  };
  store.subscribe((state, previous) => {
    if (DRAWN.some((name) => state.view[name] !== previous.view[name])) render();
    else if (found && (state.cursor !== previous.cursor || state.pinned !== previous.pinned)) cursor.render();
  });
  onSystemTheme(render);
  addEventListener("resize", render);
  return {
    /** @param {Comparison | null} next */
    show: (next) => {
      found = next;
      return render();
    },
  };
}

/**
 * @param {Store} store
 * @param {Comparison} found
 */
async function drawStage(store, found) {
  const { view } = store.get();
  const { stage } = found;
  const head = STAGES[stage].heads === "none" ? "" : t("compare.head", { head: view.head });
  byId("compare-title").textContent = [t(/** @type {Key} */ (`stage.${stage}`)), head].filter(Boolean).join(" · ");
  await Promise.all(SIDES.map((side) => drawSide(store, found, side)));
}

/**
 * @param {Store} store
 * @param {Comparison} found
 * @param {typeof SIDES[number]} side
 */
async function drawSide(store, found, side) {
  const { view } = store.get();
  const { stage } = found;
  const look = { ...lookOf(view), dark: isDark(view.theme) };
  const { batch, head } = view;
  /** @param {typeof look} wish */
  const pictureWith = (wish) => (side === "difference" ? differencePicture(found, stage, batch, head, wish) : sidePicture(found, side, stage, batch, head, wish));
  const picture = pictureWith(look);
  byId(`compare-${side}-matrix`).hidden = !picture;
  if (!picture) return;
  const frame = byId(`compare-${side}-frame`);
  const labels = stageLabels(found[side === "b" ? "b" : "a"], stage, batch, picture.z[0].length);
  const { rows, columns } = STAGES[stage];
  const titles = { row: t(`selected.${rows}`), column: columns ? t(`selected.${columns}`) : "" };
  const names = { stage: t(/** @type {Key} */ (`stage.${stage}`)), side: t(`compare.${side}`), rows: labels.rows.length, columns: labels.columns.length };
  frame.setAttribute("aria-label", t("compare.figure", names));
  const input = { picture, ...labels, titles, palette: look.palette, width: frame.clientWidth, tallest: MOST_TALL_PX };
  await draw(byId(`compare-${side}-figure`), {
    ...matrixFigure(input),
    title: t("export.compareTitle", { ...names, head }),
    bar: STAGES[stage].kind === "masks" ? "" : names.stage,
    repaint: (palette, width) => {
      const again = pictureWith({ ...look, palette, dark: palette === paletteFor(true, view.palette) });
      return again ? matrixFigure({ ...input, picture: again, palette, width, tallest: Infinity }) : matrixFigure(input);
    },
  });
}
