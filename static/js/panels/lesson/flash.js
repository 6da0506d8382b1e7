/** The same attention tile by tile: how far from the whole matrix, how much less is held and moved. */

import { fetchCosts } from "../../api/client.js";
import { fetchTiles } from "../../api/lesson.js";
import { t } from "../../strings.js";
import { bytesText, countText, wholeText } from "../../units.js";
import { stageName } from "../names.js";
import { code, note, shortened, table, verdict } from "./tables.js";

/** @typedef {import("../../api/lesson.js").Tiles} Tiles */
/** @typedef {import("../../api/costs.js").Costs} Costs */
/** @typedef {{tiles: Tiles[], costs: Costs}} Found */

const SIZES = [8, 16, 64];

/** @type {import("./context.js").Evidence<Found>} */
export const FLASH = {
  ask: async ({ spec }, signal) => {
    const [costs, ...tiles] = await Promise.all([fetchCosts({ spec }, signal), ...SIZES.map((tile) => fetchTiles(spec, tile, signal))]);
    return { tiles, costs };
  },
  show: ({ tiles, costs }) => {
    const most = Math.max(...tiles.map(({ max_abs_difference: apart }) => Number(apart)));
    const { materialised, fused } = costs.traffic;
    const { crossover_length: crossover } = costs;
    return [
      verdict(t("lesson.flash.verdict", { difference: shortened(most), cells: wholeText(tiles[0].full_cells), tile: wholeText(tiles[0].cells) }), { difference: most }),
      table(
        t("lesson.flash.table"),
        [t("lesson.flash.tile"), t("lesson.flash.tiles"), t("lesson.flash.held"), t("lesson.flash.apart")],
        [
          [t("lesson.flash.whole"), 1, wholeText(tiles[0].full_cells), 0],
          ...tiles.map(({ tile, tiles: count, cells, max_abs_difference: apart }) => [`${tile} × ${tile}`, count, wholeText(cells), Number(apart)]),
        ],
      ),
      ...(crossover === null ? [] : [note(t("costs.crossover", { N: wholeText(crossover) }))]),
      note(t("lesson.flash.traffic", { materialised: bytesText(materialised), fused: bytesText(fused) })),
      table(
        t("lesson.flash.costs"),
        [t("lesson.shapes.stage"), t("costs.grows"), "FLOPs"],
        costs.steps.map(({ name, complexity, flops }) => [stageName(name), code(complexity.replaceAll("^2", "²")), countText(flops)]),
      ),
    ];
  },
};
