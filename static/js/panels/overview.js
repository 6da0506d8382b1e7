/** All heads in one figure: see them, choose one, choose the sequence. */

import { byId, h } from "../dom.js";
import { headsFigure } from "../figures/heads.js";
import { headAt } from "../figures/mosaic.js";
import { paletteFor } from "../figures/palette.js";
import { scoreReach } from "../figures/scales.js";
import { draw, onPress, pointAt } from "../plot.js";
import { t } from "../strings.js";
import { isDark } from "../theme.js";
import { showLegend } from "./legend.js";

/** @typedef {import("../store.js").Store} Store */

/** @param {Store} store */
export function mountOverview(store) {
  const figure = byId("heads-figure");
  /** @type {import("../figures/mosaic.js").Mosaic | null} */
  let mosaic = null;

  /** @param {MouseEvent} event */
  const headUnder = (event) => {
    const point = mosaic && pointAt(figure, event);
    return mosaic && point ? headAt(mosaic, point.x, point.y) : null;
  };
  onPress(figure, (event) => {
    const head = headUnder(event);
    if (head !== null) store.view({ head });
  });
  figure.addEventListener("pointermove", (event) => {
    figure.classList.toggle("is-pointing", headUnder(event) !== null);
  });

  return async function render() {
    const { answer, view } = store.get();
    if (!answer) return;
    const palette = paletteFor(isDark(view.theme));
    const reach = scoreReach(answer, view.batch, view.showMasked);
    const width = byId("heads-frame").clientWidth;
    const input = {
      answer,
      width,
      reach,
      palette,
      stage: /** @type {"weights" | "scores"} */ (view.stage),
      batch: view.batch,
      selected: view.head,
      showMasked: view.showMasked,
      title: (/** @type {number} */ head, /** @type {number} */ kv) => t("overview.head", { head, kv }),
    };
    const drawn = headsFigure(input);
    mosaic = drawn.mosaic;
    showBatches(store, answer.tensors.weights.shape[0]);
    showLegend(byId("legend"), { answer, view, palette, reach });
    await draw(figure, {
      data: drawn.data,
      layout: drawn.layout,
      title: t("export.headsTitle", { stage: t(`stage.${input.stage}`) }),
      repaint: (other) => headsFigure({ ...input, palette: other, selected: -1 }),
    });
  };
}

/**
 * @param {Store} store
 * @param {number} count
 */
function showBatches(store, count) {
  const { batch } = store.get().view;
  const picker = byId("batch-picker");
  picker.hidden = count < 2;
  picker.replaceChildren(
    ...Array.from({ length: count }, (_, item) =>
      h("button", { type: "button", class: "tab-button", text: t("input.sequence", { n: item }), "aria-pressed": String(item === batch), on: { click: () => store.view({ batch: item }) } }),
    ),
  );
}
