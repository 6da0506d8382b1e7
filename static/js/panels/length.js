/** A run that is too long to be shown whole: its panels in place of the usual ones, and when each is drawn anew. */

import { rangeOf } from "../api/view.js";
import { byId } from "../dom.js";
import { lengthsOf } from "../figures/length_span.js";
import { paletteFor } from "../figures/palette.js";
import { createScene, isWhole } from "../length_scene.js";
import { createWindowSource } from "../length_source.js";
import { isWeights } from "../state/stages.js";
import { isDark, onSystemTheme } from "../theme.js";
import { mountLengthControls } from "./length_controls.js";
import { mountLengthHeads } from "./length_heads.js";
import { mountLengthMap } from "./length_map.js";
import { mountLengthProfile } from "./length_profile.js";
import { mountLengthPicture } from "./length_picture.js";
import { mountLengthStatistics } from "./length_statistics.js";
import { mountLengthTable } from "./length_table.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("../figures/length_picture.js").LengthLook} LengthLook */

/** Changes that ask for other numbers, and those that only paint the same ones otherwise. */
const ASKED = /** @type {const} */ (["batch", "head", "stage", "reduce", "window"]);
const PAINTED = /** @type {const} */ (["theme", "palette", "lengthScale", "language"]);
/** Painting takes time from computing on the same machine. */
const BETWEEN_MS = 120;
/** What was on show stays for so long while nothing of another run, stage or head has come. */
const STAYS_MS = 250;
/** What a short run is shown in, and a long one. */
const WHOLE = ["heads-frame", "selected-panel", "legend", "overview-options", "overview-readout", "at-length"];
const LONG = ["length", "length-heads"];

/** @param {Store} store */
export function mountLength(store) {
  let timer = 0;
  let due = 0;
  let waiting = 0;
  let painted = -Infinity;
  /** Whether the axes are still those of another run, stage or head. */
  let behind = false;
  /** The first part and the last at once; those that come one after another are gathered. */
  const paintSoon = (whole = false) => {
    if (whole) return paint();
    const now = performance.now();
    const at = isEmpty(scene.get()) ? now + STAYS_MS : Math.max(now, painted + BETWEEN_MS);
    if (timer && due <= at) return undefined;
    clearTimeout(timer);
    [timer, due] = [window.setTimeout(paint, at - now), at];
    return undefined;
  };
  const source = createWindowSource();
  mountLengthProfile(store, source);
  const scene = createScene(store, source, {
    changed: paintSoon,
    settled: () => {
      heads.begin();
      statistics.begin();
    },
  });
  const lookNow = () => lookOf(store.get(), scene.get());
  const picture = mountLengthPicture(store, scene.get, lookNow);
  const map = mountLengthMap(store, scene.get);
  const table = mountLengthTable(scene.get);
  const heads = mountLengthHeads(store, source, { sceneNow: scene.get, lookNow, changed: paintSoon });
  const statistics = mountLengthStatistics(scene.get);
  const stop = () => {
    heads.stop();
    statistics.stop();
    scene.stop();
  };
  const controls = mountLengthControls(store, { sceneNow: scene.get, stop, goOn: scene.goOn, others: heads.work });

  /** Everything but the axes. */
  function paint() {
    clearTimeout(timer);
    timer = 0;
    if (!scene.get()) return;
    painted = performance.now();
    const look = lookNow();
    controls(look);
    picture.paint();
    if (finishedNow() || behind) picture.draw();
    behind = false;
    map(look);
    heads.render();
    statistics.render();
    table();
  }
  /** @type {import("../api/view.js").Found | null | undefined} */
  let last = null;
  /** Whether the window's picture has just come whole: numbers and the words for it stand in the axes' figure. */
  function finishedNow() {
    const now = scene.get();
    const found = now && isWhole(now.span) ? now.overview : now?.detail;
    const fresh = Boolean(found?.finished) && found !== last;
    if (fresh) last = found;
    if (fresh) cancelAnimationFrame(waiting);
    return fresh;
  }
  async function drawAll() {
    cancelAnimationFrame(waiting);
    if (!scene.get()) return;
    await picture.draw();
    paint();
  }

  byId("at-length-again").addEventListener("click", () => store.view({ whole: false }));
  store.subscribe((state, previous) => {
    const { plan, view } = state;
    if (plan !== previous.plan || state.answer !== previous.answer) showParts(state);
    const changed = (/** @type {readonly (keyof AppState["view"])[]} */ names) => names.some((name) => view[name] !== previous.view[name]);
    if (plan !== previous.plan || state.answered !== previous.answered || (plan && changed(ASKED))) {
      if (!plan) heads.stop();
      if (state.answered !== previous.answered) statistics.stop();
      cancelAnimationFrame(waiting);
      scene.update();
      behind = isEmpty(scene.get());
      if (!behind) waiting = requestAnimationFrame(drawAll); // while the server computes
    } else if (plan && changed(PAINTED)) drawAll();
    else if (plan && (state.pinned !== previous.pinned || state.cursor !== previous.cursor)) picture.paint();
  });
  showParts(store.get());
  onSystemTheme(drawAll);
  let width = 0;
  new ResizeObserver(() => {
    const { clientWidth } = byId("length-frame");
    if (clientWidth > 0 && clientWidth !== width) requestAnimationFrame(drawAll);
    width = clientWidth;
  }).observe(byId("length-frame"));
}

/** @param {import("../length_scene.js").Scene | null} scene */
function isEmpty(scene) {
  return scene !== null && !scene.overview && !scene.before && !scene.detail;
}

/** @param {AppState} state */
function showParts({ plan, answer, view }) {
  const long = plan !== null;
  for (const id of LONG) byId(id).hidden = !long;
  for (const id of WHOLE) byId(id).hidden = long;
  byId("at-length").hidden = long || !view.whole || !answer;
}

/**
 * Colours stand for the same numbers in the overview and in the window.
 * @param {AppState} state
 * @param {import("../length_scene.js").Scene | null} scene
 * @returns {LengthLook}
 */
function lookOf({ view, plan }, scene) {
  const palette = paletteFor(isDark(view.theme), view.palette);
  const keys = plan ? lengthsOf(plan).S : 1;
  const found = scene && !isWeights(scene.subject.stage) ? [scene.overview, scene.before, scene.detail] : [];
  const reaches = found.flatMap((one) => (one ? Object.values(rangeOf(one)).map(Math.abs) : [])).filter(Number.isFinite);
  return { palette, scale: view.lengthScale, reach: Math.max(0, ...reaches) || 1, keys };
}
