/** What the run costs: every step's operations and bytes, both over N, and a model's KV cache. */

import { fetchCosts } from "../api/client.js";
import { PARTS, lengthsUpTo, partCurve } from "../api/costs.js";
import { byId, h } from "../dom.js";
import { flopsFigure, trafficFigure } from "../figures/costs.js";
import { paletteFor } from "../figures/palette.js";
import { cellValue } from "../numbers.js";
import { draw } from "../plot.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { isDark, onSystemTheme } from "../theme.js";
import { bytesText, countText, percentText, wholeText } from "../units.js";
import { showByteBars } from "./byte_bars.js";
import { stageName } from "./names.js";
import { mountTabRequest } from "./tab_request.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("../api/costs.js").Costs} Costs */
/** @typedef {import("../api/costs.js").Part} Part */

const DRAWN = /** @type {const} */ (["theme", "palette", "language"]);
const SURFACE = { light: "#ffffff", dark: "#22262d" };

/** @param {Store} store */
export function mountCosts(store) {
  /** @type {Costs | null} */
  let costs = null;
  mountFields(store);
  const render = async () => {
    if (!costs || byId("panel-costs").hidden) return;
    showSteps(costs);
    showCurveNumbers(costs);
    showCache(costs);
    await drawCurves(store, costs);
  };
  mountTabRequest(store, {
    tab: "costs",
    of: ({ document: content, tools }) => [content, tools.costs],
    ask: async (state, signal) => fetchCosts(requestOf(state), signal),
    show: (answer) => {
      costs = answer;
      return render();
    },
  });
  store.subscribe((state, previous) => {
    if (DRAWN.some((name) => state.view[name] !== previous.view[name])) render();
  });
  onSystemTheme(render);
  new ResizeObserver(render).observe(byId("costs-flops-frame"));
}

/** @param {AppState} state */
function requestOf({ document: content, tools }) {
  const { longest, layers, batch, length, dtype } = tools.costs;
  const cache = { layers: cellValue(layers), batch: cellValue(batch), length: cellValue(length), dtype: dtype === "run" ? null : dtype };
  return { spec: toSpec(content), lengths: lengthsUpTo(Number(longest)), cache };
}

/** @param {Store} store */
function mountFields(store) {
  const longest = /** @type {HTMLSelectElement} */ (byId("costs-longest"));
  longest.addEventListener("change", () => store.tool("costs", { longest: longest.value }));
  const fields = /** @type {(HTMLInputElement | HTMLSelectElement)[]} */ ([...document.querySelectorAll("[data-cost]")]);
  for (const field of fields) field.addEventListener("input", () => store.tool("costs", { [String(field.dataset.cost)]: field.value }));
  const render = () => {
    const { costs } = store.get().tools;
    longest.value = costs.longest;
    for (const field of fields) {
      const value = costs[/** @type {"layers"} */ (field.dataset.cost)];
      if (field.value !== value) field.value = value;
    }
  };
  store.subscribe((state, previous) => state.tools.costs !== previous.tools.costs && render());
  render();
}

/** @param {Costs} costs */
function showSteps({ steps, crossover_length: crossover }) {
  const total = steps.reduce((sum, { flops }) => sum + flops, 0);
  const bytes = steps.reduce((sum, step) => sum + step.bytes, 0);
  const quadratic = steps.filter(({ name }) => !PARTS.projections.some((part) => part === name)).reduce((sum, { flops }) => sum + flops, 0);
  const where = crossover === null ? t("costs.noCrossover") : t("costs.crossover", { N: wholeText(crossover) });
  byId("costs-verdict").textContent = `${t("costs.verdict", { flops: countText(total), share: percentText(quadratic / total) })} ${where}`;
  byId("costs-steps").replaceChildren(...steps.map((step) => stepLine(step, total)));
  byId("costs-total").replaceChildren(
    h("tr", {}, [h("th", { scope: "row", text: t("costs.total") }), h("td"), h("td", { text: countText(total), title: wholeText(total) }), h("td"), bytesCell(bytes)]),
  );
}

/**
 * @param {import("../api/costs.js").StepCost} step
 * @param {number} total
 */
function stepLine({ name, complexity, formula, flops, bytes, shape }, total) {
  const bar = h("td", { class: "costs-flops", title: t("costs.exactFlops", { flops: wholeText(flops), formula: formula.replaceAll(" ", " · ").replace("· ·", "·") }) }, [h("span", { class: "bar", "aria-hidden": "true" }), h("span", { text: countText(flops) })]);
  bar.style.setProperty("--share", String(total ? flops / total : 0));
  const part = /** @type {Part} */ (Object.keys(PARTS).find((key) => /** @type {readonly string[]} */ (PARTS[/** @type {Part} */ (key)]).includes(name)));
  return h("tr", { data: { step: name, part } }, [
    h("th", { scope: "row", text: stageName(name) }),
    h("td", { class: "costs-grows", text: complexity.replaceAll("^2", "²").replace(/(?<=[A-Z²]) (?=[A-Z])/g, "·"), title: formula }),
    bar,
    h("td", { text: `[${shape.join(", ")}]` }),
    bytesCell(bytes),
  ]);
}

/** @param {number} bytes */
function bytesCell(bytes) {
  return h("td", { text: bytesText(bytes), title: t("cache.exact", { bytes: wholeText(bytes) }) });
}

/** @param {Costs} costs */
function showCurveNumbers({ curves }) {
  const parts = /** @type {Part[]} */ (Object.keys(PARTS)).map((part) => partCurve(curves, part));
  const { materialised, fused } = curves.traffic;
  const lines = curves.lengths.map((N, index) =>
    h("tr", {}, [
      h("th", { scope: "row", text: wholeText(N) }),
      ...parts.map((values) => h("td", { text: countText(values[index]), title: wholeText(values[index]) })),
      bytesCell(materialised[index]),
      bytesCell(fused[index]),
    ]),
  );
  byId("costs-curves").replaceChildren(...lines);
}

/** @param {Costs} costs */
function showCache({ model_cache: cache, siblings }) {
  const heads = { H: siblings.mha.num_kv_heads, K: siblings.gqa.num_kv_heads };
  showByteBars(byId("costs-cache"), heads, cache.bytes, cache.bytes.mha);
  byId("costs-cache-says").textContent = t("costs.cacheSays", { layers: wholeText(cache.layers), batch: wholeText(cache.batch), length: wholeText(cache.length), dtype: cache.dtype });
}

/**
 * @param {Store} store
 * @param {Costs} costs
 */
async function drawCurves(store, costs) {
  const { theme, palette } = store.get().view;
  const { traffic, steps, crossover_length: crossover, curves } = costs;
  const [, , T, S] = /** @type {number[]} */ (steps.find(({ name }) => name === "scores")?.shape);
  const N = curves.lengths[curves.lengths.length - 1];
  const times = Number((traffic.materialised / traffic.fused).toPrecision(3));
  byId("costs-flops-says").textContent = crossover === null ? t("costs.noCrossover") : t("costs.flopsSays", { N: wholeText(crossover) });
  byId("costs-traffic-says").textContent = t("costs.trafficSays", { materialised: bytesText(traffic.materialised), fused: bytesText(traffic.fused), times });
  const names = Object.fromEntries(["projections", "products", "softmax", "materialised", "fused"].map((name) => [name, t(/** @type {import("../strings.js").Key} */ (`costs.${name}`))]));
  const marks = { run: t("costs.thisRun", { N: T }), crossover: crossover === null ? "" : t("costs.atCrossover", { N: wholeText(crossover) }) };
  await Promise.all(
    (/** @type {const} */ (["flops", "traffic"])).map((name) => {
      const frame = byId(`costs-${name}-frame`);
      frame.setAttribute("aria-label", t(`costs.${name}Figure`, { N: wholeText(N) }));
      const figureWith = (/** @type {boolean} */ dark, /** @type {number} */ width) => {
        const look = { palette: paletteFor(dark, palette), surface: SURFACE[dark ? "dark" : "light"], width, names: { ...names, ...marks }, run: T === S ? T : null };
        return name === "flops" ? flopsFigure(costs, look) : trafficFigure(costs, look);
      };
      return draw(byId(`costs-${name}-figure`), figureWith(isDark(theme), frame.clientWidth));
    }),
  );
}
