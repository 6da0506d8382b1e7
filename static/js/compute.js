/** Every change of the document becomes a request; a newer one drops the older. */

import { ProblemError, fetchAttention, fetchPlan } from "./api/client.js";
import { firstTensors, isUrgent, missingTensors } from "./api/needed.js";
import { byId } from "./dom.js";
import { dimensions } from "./state/dimensions.js";
import { isAtLength, keptWindow } from "./state/length.js";
import { toSpec } from "./state/to_spec.js";

/** A change after a rest is sent at once; a burst of typing or dragging is gathered. */
const DEBOUNCE_MS = 12;

/** What no picture waits for is asked for once the picture stands. */
const AFTER_PAINT_MS = 80;

/** @param {import("./store.js").Store} store */
export function startComputing(store) {
  const mostCells = Number(byId("pictures").dataset.mostCells);
  let timer = 0;
  let later = 0;
  let latest = -Infinity;
  let queued = false;
  let controller = new AbortController();
  let asking = false;

  async function compute() {
    const { document, view } = store.get();
    controller = new AbortController();
    const { signal } = controller;
    try {
      if (isAtLength(document, view.whole, mostCells)) {
        const plan = await fetchPlan(toSpec(document), signal);
        if (!signal.aborted) store.set(planned(store.get(), plan, document));
        return;
      }
      const { B, H, T, S } = dimensions(document);
      const answer = await fetchAttention(toSpec(document), firstTensors(store.get(), B * H * T * S), signal);
      if (!signal.aborted) store.set(answered(store.get(), answer, document));
    } catch (error) {
      if (!signal.aborted) store.set({ problem: problemOf(error), status: "error" });
    }
  }

  /** Before the browser paints the pressed switch, yet after everything else that the press changes. */
  function sendNow() {
    queued = true;
    queueMicrotask(() => {
      queued = false;
      compute();
    });
  }

  function schedule() {
    controller.abort();
    clearTimeout(timer);
    clearTimeout(later);
    store.set({ status: "computing" });
    if (queued) return;
    const rested = performance.now() - latest > DEBOUNCE_MS;
    latest = performance.now();
    if (rested) sendNow();
    else timer = window.setTimeout(compute, DEBOUNCE_MS);
  }

  /** What is on show by now and did not come with the answer. */
  async function addDetails() {
    const { answered: content, status } = store.get();
    const names = missingTensors(store.get());
    if (asking || status !== "ready" || !content || names.length === 0) return;
    asking = true;
    const { signal } = controller;
    try {
      const found = await fetchAttention(toSpec(content), names, signal);
      asking = false;
      if (!signal.aborted) store.set({ details: { ...store.get().details, ...found.tensors } });
    } catch (error) {
      asking = false;
      if (!signal.aborted) store.set({ problem: problemOf(error), status: "error" });
    }
  }

  /** @param {import("./store.js").AppState} state */
  function addSoon(state) {
    clearTimeout(later);
    if (isUrgent(state)) addDetails();
    else later = window.setTimeout(addDetails, AFTER_PAINT_MS);
  }

  store.subscribe((state, previous) => {
    if (state.document !== previous.document || state.view.whole !== previous.view.whole || hasReturned(state, previous)) schedule();
    else if (missingTensors(state).length > 0) addSoon(state);
  });
  addEventListener("online", () => store.get().problem?.status === 0 && schedule());
  schedule();
}

/**
 * Whether a file that the document refers to, and the server had forgotten, is there again. What was asked
 * for before it came will be refused, even where that answer is still on its way.
 * @param {import("./store.js").AppState} state
 * @param {import("./store.js").AppState} previous
 */
function hasReturned(state, previous) {
  const { known } = state.files;
  return known !== previous.files.known && state.document.uploads.some(({ id }) => previous.files.known[id] === null && known[id]);
}

/**
 * The view stays where it was as far as the new answer reaches.
 * @param {import("./store.js").AppState} state
 * @param {import("./api/answer.js").Answer} answer
 * @param {import("./state/types.js").Document} document
 * @returns {Partial<import("./store.js").AppState>}
 */
function answered(state, answer, document) {
  return { ...reached(state, answer.tensors.weights.shape), answer, plan: null, answered: document, details: {}, problem: null, status: "ready" };
}

/**
 * A long run: what it is, for its pictures are asked for window by window.
 * @param {import("./store.js").AppState} state
 * @param {import("./api/answer.js").Plan} plan
 * @param {import("./state/types.js").Document} document
 * @returns {Partial<import("./store.js").AppState>}
 */
function planned(state, plan, document) {
  const shape = plan.steps.find(({ name }) => name === "weights")?.shape ?? [1, 1, 1, 1];
  const kept = reached(state, shape);
  const { window } = kept.view;
  const [T, S] = shape.slice(2);
  const outside = window && (window.rows[1] > T || window.cols[1] > S);
  const view = window ? { ...kept.view, window: outside ? null : keptWindow(window, { T, S }) } : kept.view;
  return { ...kept, view, answer: null, plan, answered: document, details: {}, problem: null, status: "ready" };
}

/**
 * @param {import("./store.js").AppState} state
 * @param {number[]} shape of the weights
 */
function reached(state, [B, H, T, S]) {
  const { batch, head } = state.view;
  const there = batch < B && head < H;
  const view = there ? state.view : { ...state.view, batch: Math.min(batch, B - 1), head: Math.min(head, H - 1) };
  const { cursor } = state;
  const outside = cursor && (cursor.query >= T || cursor.key >= S);
  return { view, ...(outside ? { cursor: null, pinned: false } : {}) };
}

/**
 * @param {unknown} error
 * @returns {import("./state/types.js").Problem}
 */
function problemOf(error) {
  if (error instanceof ProblemError) return error.problem;
  return { title: "", detail: String(error), status: 0, errors: [] };
}
