/** The verdict on own numbers: tensor by tensor, what explains them, and the pictures of one tensor. */

import { byId, h } from "../dom.js";
import { cursorAt } from "../figures/stages.js";
import { brief, exact } from "../numbers.js";
import { CHECKED, STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";
import { onSystemTheme } from "../theme.js";
import { showCauses } from "./check_causes.js";
import { mountCompareCursor } from "./compare_cursor.js";
import { placeIn } from "./compare_table.js";
import { stageName } from "./names.js";
import { DRAWN, drawSides } from "./side_by_side.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/check.js").Check} Check */
/** @typedef {import("../api/check.js").TensorVerdict} TensorVerdict */

/** @param {Store} store */
export function mountCheckResults(store) {
  /** @type {Check | null} */
  let found = null;
  const cursor = mountCompareCursor(store, () => found?.pictured ?? null, "check");
  const draw = async () => {
    const pictured = found?.pictured ?? null;
    byId("check-pictured").hidden = !pictured;
    if (!pictured) return;
    const { batch, head } = store.get().view;
    const { stage } = pictured;
    const where = [found && found.run.tensors.allowed.shape[0] > 1 ? t("input.sequence", { n: batch }) : "", STAGES[stage].heads === "none" ? "" : t("compare.head", { head })];
    byId("check-title").textContent = [stageName(stage), ...where].filter(Boolean).join(" · ");
    await drawSides(store, pictured, "check");
    cursor.render();
  };
  const render = async () => {
    byId("check-results").hidden = !found;
    if (!found) return;
    showVerdict(found);
    showTensors(store, found);
    showCauses(store, found);
    await draw();
  };
  store.subscribe((state, previous) => {
    if (state.view.language !== previous.view.language) render();
    else if (DRAWN.some((name) => state.view[name] !== previous.view[name])) draw();
    else if (found && (state.cursor !== previous.cursor || state.pinned !== previous.pinned)) cursor.render();
  });
  onSystemTheme(draw);
  addEventListener("resize", draw);
  return {
    /** @param {Check | null} next */
    show: (next) => {
      found = next;
      return render();
    },
  };
}

/** @param {Check} found */
function showVerdict({ passed, tensors, rtol, atol }) {
  const element = byId("check-verdict");
  const names = Object.keys(tensors).filter((name) => !tensors[name].passed).map(stageName);
  element.textContent = passed ? `✓ ${t("check.passed")}` : `✗ ${t("check.failed", { names: names.join(t("list.comma")) })}`;
  element.dataset.verdict = passed ? "pass" : "fail";
  byId("check-used").textContent = t("check.used", { rtol: brief(rtol), atol: brief(atol) });
}

/**
 * @param {Store} store
 * @param {Check} found
 */
function showTensors(store, found) {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.checked : undefined;
  const names = CHECKED.filter((name) => name in found.tensors);
  byId("check-tensors").replaceChildren(...names.map((name) => tensorLine(store, found, name)));
  if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-checked="${CSS.escape(focused)}"]`))?.focus();
}

/**
 * @param {Store} store
 * @param {Check} found
 * @param {string} name
 */
function tensorLine(store, found, name) {
  const verdict = found.tensors[name];
  const shown = found.pictured?.stage === name;
  const title = h("button", { type: "button", class: "chip", text: stageName(name), "aria-pressed": String(shown), data: { checked: name }, on: { click: () => store.view({ checked: name }) } });
  const sign = h("td", { class: "check-sign", text: verdict.passed ? `✓ ${t("check.pass")}` : `✗ ${t("check.fail")}`, data: { verdict: verdict.passed ? "pass" : "fail" } });
  const head = h("th", { scope: "row" }, [title]);
  if (verdict.why) return h("tr", {}, [head, sign, h("td", { colspan: 6, text: serverText(verdict.why) })]);
  const all = (found.run.steps.find((step) => step.name === name)?.shape ?? []).reduce((product, size) => product * size, 1);
  const out = t("check.outOf", { bad: verdict.bad ?? 0, all });
  const place = (/** @type {"worst" | "firstBad"} */ which) => h("td", {}, verdict[which] ? [jump(store, found, name, which)] : ["–"]);
  return h("tr", {}, [head, sign, h("td", { text: out }), number(verdict.max), place("worst"), number(verdict.got), number(verdict.expected), place("firstBad")]);
}

/** @param {number | null} value */
function number(value) {
  if (value === null) return h("td", { text: "–" });
  return h("td", { text: Number.isFinite(value) ? brief(value) : exact(value, false), title: exact(value, false) });
}

/**
 * @param {Store} store
 * @param {Check} found
 * @param {string} name
 * @param {"worst" | "firstBad"} which
 */
function jump(store, found, name, which) {
  const index = /** @type {number[]} */ (found.tensors[name][which]);
  const place = placeIn({ a: found.run }, name, index);
  const go = () => {
    const { view, cursor } = store.get();
    store.set({
      view: { ...view, batch: place.batch, head: place.head ?? view.head, checked: name },
      cursor: cursorAt(name, cursor, place.row, place.column),
      pinned: true,
    });
  };
  return h("button", { type: "button", class: "chip", text: place.text, title: t("compare.jump", { index: `[${index.join(", ")}]` }), data: { checked: `${name} ${which}` }, on: { click: go } });
}
