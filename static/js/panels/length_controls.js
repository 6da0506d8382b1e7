/** Around the picture of a long run: what it shows, the legend, the progress, and the buttons that move it. */

import { byId } from "../dom.js";
import { MASKED, MINUS_INFINITY, NOT_A_NUMBER, PLUS_INFINITY } from "../figures/marks.js";
import { lengthPicture, lengthScale, occurring } from "../figures/length_picture.js";
import { brief } from "../numbers.js";
import { dimensions } from "../state/dimensions.js";
import { STAGES, isWeights } from "../state/stages.js";
import { t } from "../strings.js";
import { problemText, serverText } from "../strings/server.js";
import { wholeText } from "../units.js";
import { ramp, swatch } from "./legend.js";
import { showAll, zoom } from "./length_moves.js";
import { pooledText, windowText } from "./length_words.js";
import { stageName } from "./names.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../length_scene.js").Scene} Scene */
/** @typedef {import("../figures/length_picture.js").LengthLook} LengthLook */

/** Work that is done sooner says nothing of its progress. */
const PATIENCE_MS = 250;

/**
 * @param {Store} store
 * @param {{sceneNow: () => Scene | null, stop: () => void, goOn: () => void, others: () => {head: number, heads: number, done: number, of: number} | null}} act
 */
export function mountLengthControls(store, { sceneNow, stop, goOn, others }) {
  byId("length-in").addEventListener("click", () => zoom(store, "in"));
  byId("length-out").addEventListener("click", () => zoom(store, "out"));
  byId("length-full").addEventListener("click", () => showAll(store));
  byId("length-whole").addEventListener("click", () => store.view({ whole: true }));
  byId("length-cancel").addEventListener("click", stop);
  byId("length-go-on").addEventListener("click", goOn);
  const showProgress = mountProgress(() => {
    const scene = sceneNow();
    return scene?.work ? { ...scene.work, head: null } : others();
  });
  return (/** @type {LengthLook} */ look) => {
    const scene = sceneNow();
    if (!scene) return;
    showTitle(store, scene);
    showSays(scene);
    showLegend(scene, look);
    showStopped(scene);
    showProgress();
  };
}

/**
 * @param {Store} store
 * @param {Scene} scene
 */
function showTitle(store, { plan, subject, span }) {
  const { document: content, view } = store.get();
  const alone = STAGES[subject.stage].heads === "none";
  byId("length-title").textContent = t(alone ? "length.titleAll" : "length.title", { stage: stageName(subject.stage), head: view.head });
  byId("length-scale-field").hidden = !isWeights(subject.stage);
  const { B, H, T, S } = dimensions(content);
  const cells = B * H * T * S;
  const whole = byId("length-whole");
  whole.hidden = cells > Number(byId("pictures").dataset.mostCells);
  whole.title = t("length.whole.tip", { cells: wholeText(cells) });
  const everything = span.rows[1] - span.rows[0] === span.totals.rows && span.cols[1] - span.cols[0] === span.totals.cols;
  for (const id of ["length-full", "length-out"]) byId(id).setAttribute("aria-disabled", String(everything));
  byId("length-heads").hidden = plan.layout.num_heads < 2 || alone;
}

/** @param {Scene} scene */
function showSays({ span, subject, detail, overview }) {
  byId("length-exact").hidden = !isWeights(subject.stage);
  const shown = detail ?? overview;
  byId("length-says").textContent = shown ? `${windowText(span)} · ${pooledText(shown.reduced, subject.stage)}` : windowText(span);
}

/**
 * @param {Scene} scene
 * @param {LengthLook} look
 */
function showLegend(scene, look) {
  const { subject, overview, detail, plan } = scene;
  const { stage } = subject;
  const { palette } = look;
  const there = [overview, detail].flatMap((found) => (found ? [occurring(lengthPicture(found, stage, look), found)] : []));
  const marks = { has: (/** @type {number} */ mark) => there.some((one) => one.has(mark)) };
  const partly = there.some((one) => one.partly);
  const items = [
    rampOf(stage, look),
    ...(marks.has(MASKED) ? [swatch(t("legend.masked"), "is-hatched", palette.masked)] : []),
    ...(partly && stage !== "allowed" && plan.masks.length ? [swatch(t("length.partly"), "is-hatched", palette.visible)] : []),
    ...(marks.has(MINUS_INFINITY) ? [swatch(t("legend.minusInfinity"), "", palette.minusInfinity)] : []),
    ...(marks.has(PLUS_INFINITY) ? [swatch(t("legend.plusInfinity"), "", palette.plusInfinity)] : []),
    ...(marks.has(NOT_A_NUMBER) ? [swatch(t("legend.nan"), "", palette.nan)] : []),
  ];
  byId("length-legend").replaceChildren(...items);
}

/**
 * @param {string} stage
 * @param {LengthLook} look
 */
function rampOf(stage, look) {
  const { zmin, zmax, colorscale } = lengthScale(stage, look);
  if (stage === "allowed") return ramp(t("legend.visible"), colorscale, "", t("legend.masked"));
  if (!isWeights(stage)) return ramp(STAGES[stage].kind === "cells" ? t("legend.scores") : stageName(stage), colorscale, brief(zmin), brief(zmax));
  if (look.scale === "log") return ramp(t("legend.weights"), colorscale, `≤ 1e${zmin}`.replace("-", "−"), "1");
  return ramp(t("legend.weights"), colorscale, "0", look.scale === "row" ? t("legend.rowLargest") : "1");
}

/** @param {Scene} scene */
function showStopped({ stopped, problem, overview, detail }) {
  const shown = detail ?? overview;
  byId("length-stopped").hidden = !stopped;
  byId("length-stopped-says").textContent = t("length.stopped", { done: shown?.done ?? 0, of: shown?.of ?? 0 });
  const error = byId("length-error");
  error.hidden = problem === null;
  error.textContent = problem ? problem.errors.map(({ message }) => serverText(message)).join(" ") || problemText(problem) : "";
}

/**
 * Progress as the server tells it: runs of rows that are computed.
 * @param {() => {done: number, of: number, head: number | null, heads?: number} | null} workNow
 */
function mountProgress(workNow) {
  const part = byId("length-progress");
  const bar = /** @type {HTMLProgressElement} */ (byId("length-bar"));
  let timer = 0;
  const show = () => {
    const work = workNow();
    part.hidden = work === null;
    if (!work) return;
    bar.max = Math.max(1, work.of);
    bar.value = work.done;
    byId("length-strips").textContent = work.of === 0 ? t("length.begins") : work.head === null ? t("length.strips", { done: work.done, of: work.of }) : t("length.head", { done: work.done, of: work.of, head: work.head, heads: work.heads ?? 0 });
  };
  return () => {
    if (!part.hidden) return show();
    if (!workNow()) return clearTimeout(timer), (timer = 0), undefined;
    timer ||= window.setTimeout(() => ((timer = 0), show()), PATIENCE_MS);
    return undefined;
  };
}
