/** The whole row of a pinned cell of a long run, pooled: where else its query looks. A press goes there. */

import { byId } from "../dom.js";
import { profileFigure } from "../figures/profile.js";
import { lengthsOf } from "../figures/length_span.js";
import { draw, onPress, pointAt } from "../plot.js";
import { cellAt } from "../api/view.js";
import { t } from "../strings.js";
import { wholeText } from "../units.js";
import { largestPair } from "./length_largest.js";
import { pooledText } from "./length_words.js";
import { lookOf } from "./look.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/view.js").Found} Found */

/** Runs of keys, each about a pixel. */
const MOST_RUNS = 256;

/**
 * @param {Store} store
 * @param {ReturnType<typeof import("../length_source.js").createWindowSource>} source
 */
export function mountLengthProfile(store, source) {
  const figure = byId("inspector-profile");
  let job = new AbortController();
  /** @type {Found | null} */
  let shown = null;

  async function ask() {
    job.abort();
    const { plan, answered, cursor, pinned, view } = store.get();
    byId("inspector-profile-part").hidden = !plan || !pinned;
    if (!plan || !answered || !cursor || !pinned) return;
    job = new AbortController();
    const { S } = lengthsOf(plan);
    const [rows, cols] = [{ range: /** @type {[number, number]} */ ([cursor.query, cursor.query + 1]), cells: 1 }, { range: /** @type {[number, number]} */ ([0, S]), cells: Math.min(S, MOST_RUNS) }];
    const found = await source.load({ document: answered, stage: "weights", batch: view.batch, head: view.head, reduce: view.reduce }, rows, cols, job.signal, () => {}).catch(() => null);
    if (!found) return;
    shown = found;
    show();
  }

  function show() {
    const { plan, cursor, view } = store.get();
    if (!plan || !cursor || !shown) return;
    const keys = wholeText(lengthsOf(plan).S);
    byId("inspector-profile-says").textContent = `${t("length.profile")}: ${pooledText(shown.reduced, "weights")}`;
    figure.setAttribute("aria-label", t("length.profile.figure", { query: wholeText(cursor.query), keys }));
    draw(figure, profileFigure({ found: shown, key: cursor.key, width: Math.max(160, byId("inspector-profile-part").clientWidth), title: t("selected.key"), palette: lookOf(view).palette }));
  }

  onPress(figure, async (event) => {
    const point = pointAt(figure, event);
    const { answered, cursor, view } = store.get();
    const at = shown && point ? cellAt(shown.colEdges, Math.round(point.x)) : -1;
    if (!shown || !answered || !cursor || at < 0) return;
    const cell = { rows: /** @type {[number, number]} */ ([cursor.query, cursor.query + 1]), cols: /** @type {[number, number]} */ ([shown.colEdges[at], shown.colEdges[at + 1]]) };
    const pair = await largestPair({ document: answered, stage: "weights", batch: view.batch, head: view.head, reduce: "max" }, cell).catch(() => null);
    if (pair) store.set({ cursor: pair });
  });
  store.subscribe((state, previous) => {
    const place = state.cursor !== previous.cursor || state.pinned !== previous.pinned || state.plan !== previous.plan;
    const asked = /** @type {const} */ (["head", "batch", "reduce"]).some((name) => state.view[name] !== previous.view[name]);
    if (place || asked) ask();
    else if (state.view.theme !== previous.view.theme || state.view.palette !== previous.view.palette || state.view.language !== previous.view.language) show();
  });
  let width = 0;
  new ResizeObserver(() => {
    const { clientWidth } = byId("inspector-profile-part");
    if (clientWidth > 0 && clientWidth !== width) requestAnimationFrame(show);
    width = clientWidth;
  }).observe(byId("inspector-profile-part"));
  ask();
}
