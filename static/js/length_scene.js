/** What is known of a long run's picture by now, and the requests on their way for the rest of it. */

import { ProblemError } from "./api/client.js";
import { lengthStage, spanOf, stageHead } from "./figures/length_span.js";
import { subjectKey } from "./length_source.js";
import { aligned } from "./state/length.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./api/view.js").Found} Found */
/** @typedef {import("./api/answer.js").Plan} Plan */
/** @typedef {import("./length_source.js").Subject} Subject */
/** @typedef {import("./figures/length_span.js").Span} Span */

/**
 * @typedef {object} Scene
 * @property {Plan} plan
 * @property {Subject} subject
 * @property {Span} span
 * @property {Found | null} overview everything, in cells of many pairs
 * @property {Found | null} before the window that was on show until this one comes
 * @property {Found | null} detail the window
 * @property {{done: number, of: number} | null} work runs of rows of the request that is waited for
 * @property {boolean} stopped
 * @property {import("./state/types.js").Problem | null} problem
 */

/**
 * @param {Store} store
 * @param {ReturnType<typeof import("./length_source.js").createWindowSource>} source
 * @param {{changed: (whole: boolean) => void, settled: (scene: Scene) => void}} hear of every part that comes, and whether it was the last; and when all has come
 */
export function createScene(store, source, { changed, settled }) {
  /** @type {Scene | null} */
  let scene = null;
  let [overviewJob, detailJob] = [new AbortController(), new AbortController()];
  let asking = false;

  /** @param {Partial<Scene>} change */
  function put(change) {
    if (scene) scene = { ...scene, ...change };
    changed(Boolean(change.detail?.finished || change.overview?.finished));
  }

  function end() {
    overviewJob.abort();
    detailJob.abort();
    asking = false;
  }

  /** @param {boolean} [again] ask for what was stopped */
  function update(again = false) {
    const subject = subjectOf(store);
    if (!subject) {
      end();
      scene = null;
      return;
    }
    const { plan, view } = store.get();
    const span = spanOf(/** @type {Plan} */ (plan), subject.stage, view.window);
    const other = !scene || subjectKey(subject) !== subjectKey(scene.subject);
    if (other) overviewJob.abort();
    if (other) asking = false;
    detailJob.abort();
    const overview = other ? (source.known(subject, ...wholeSides(span)) ?? null) : (scene?.overview ?? null);
    const before = other ? null : finished(scene?.detail) ?? scene?.before ?? null;
    scene = { plan: /** @type {Plan} */ (plan), subject, span, overview, before, detail: null, work: null, stopped: !again && !other && Boolean(scene?.stopped), problem: null };
    ask();
  }

  async function ask() {
    if (!scene) return;
    const { subject, span } = scene;
    detailJob = new AbortController();
    const { signal } = detailJob;
    document.documentElement.dataset.state = "computing";
    changed(false);
    try {
      if (!isWhole(span)) await load(subject, sidesOf(span), signal, (detail) => put({ detail, work: workOf(detail) }));
      if (signal.aborted) return;
      if (!isWhole(span)) announce();
      await askOverview(subject, span);
      if (!signal.aborted && isWhole(span) && finished(scene?.overview)) announce();
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  /**
   * Asked for once, however often the window moves meanwhile.
   * @param {Subject} subject
   * @param {Span} span
   */
  async function askOverview(subject, span) {
    if (finished(scene?.overview)) return settle();
    if (asking || scene?.stopped) return undefined;
    asking = true;
    overviewJob = new AbortController();
    const { signal } = overviewJob;
    try {
      const found = await load(subject, wholeSides(span), signal, (overview) => put({ overview, work: workOf(overview) }));
      if (!found) return undefined;
      asking = false;
      if (scene && isWhole(scene.span)) announce();
      return settle();
    } catch (error) {
      if (!signal.aborted) fail(error);
      return undefined;
    }
  }

  /**
   * @param {Subject} subject
   * @param {[import("./length_source.js").Side, import("./length_source.js").Side]} sides
   * @param {AbortSignal} signal
   * @param {(found: Found) => void} paint
   */
  function load(subject, [rows, cols], signal, paint) {
    return source.load(subject, rows, cols, signal, paint);
  }

  function settle() {
    put({ work: null });
    if (scene) settled(scene);
  }

  function announce() {
    put({ work: asking ? (scene?.work ?? null) : null });
    document.documentElement.dataset.state = "ready";
  }

  /** @param {unknown} error */
  function fail(error) {
    asking = false;
    const problem = error instanceof ProblemError ? error.problem : { title: "", detail: String(error), status: 0, errors: [] };
    put({ problem, work: null });
    document.documentElement.dataset.state = "error";
  }

  return {
    get: () => scene,
    update,
    stop() {
      end();
      put({ stopped: true });
      document.documentElement.dataset.state = "ready";
    },
    goOn: () => update(true),
  };
}

/** @param {Store} store */
function subjectOf(store) {
  const { plan, answered, view } = store.get();
  if (!plan || !answered) return null;
  const stage = lengthStage(plan, view.stage);
  return { document: answered, stage, batch: view.batch, head: stageHead(plan, stage, view.head), reduce: view.reduce };
}

/** @param {Found | null | undefined} found */
function finished(found) {
  return found?.finished ? found : null;
}

/** @param {Found} found */
function workOf({ done, of, finished: all }) {
  return all ? null : { done, of };
}

/** @param {Span} span */
export function isWhole({ rows, cols, totals }) {
  return rows[0] === 0 && cols[0] === 0 && rows[1] === totals.rows && cols[1] === totals.cols;
}

/**
 * @param {Span} span
 * @returns {[import("./length_source.js").Side, import("./length_source.js").Side]}
 */
function sidesOf({ rows, cols, totals }) {
  return [aligned(rows, totals.rows), aligned(cols, totals.cols)];
}

/**
 * @param {Span} span
 * @returns {[import("./length_source.js").Side, import("./length_source.js").Side]}
 */
export function wholeSides({ totals }) {
  return [aligned([0, totals.rows], totals.rows), aligned([0, totals.cols], totals.cols)];
}
