/** Every change of the document becomes a request; a newer one drops the older. */

import { ProblemError, fetchAttention } from "./api/client.js";
import { firstTensors, isUrgent, missingTensors } from "./api/needed.js";
import { dimensions } from "./state/dimensions.js";
import { toSpec } from "./state/to_spec.js";

/** A change after a rest is sent at once; a burst of typing or dragging is gathered. */
const DEBOUNCE_MS = 12;

/** What no picture waits for is asked for once the picture stands. */
const AFTER_PAINT_MS = 80;

/** @param {import("./store.js").Store} store */
export function startComputing(store) {
  let timer = 0;
  let later = 0;
  let latest = -Infinity;
  let queued = false;
  let controller = new AbortController();
  let asking = false;

  async function compute() {
    const { document } = store.get();
    controller = new AbortController();
    const { signal } = controller;
    try {
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
    if (state.document !== previous.document || hasReturned(state, previous)) schedule();
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
  const [B, H, T, S] = answer.tensors.weights.shape;
  const { batch, head } = state.view;
  const reached = batch < B && head < H;
  const view = reached ? state.view : { ...state.view, batch: Math.min(batch, B - 1), head: Math.min(head, H - 1) };
  const { cursor } = state;
  const outside = cursor && (cursor.query >= T || cursor.key >= S);
  return {
    answer,
    answered: document,
    details: {},
    problem: null,
    status: "ready",
    view,
    ...(outside ? { cursor: null, pinned: false } : {}),
  };
}

/**
 * @param {unknown} error
 * @returns {import("./state/types.js").Problem}
 */
function problemOf(error) {
  if (error instanceof ProblemError) return error.problem;
  return { title: "", detail: String(error), status: 0, errors: [] };
}
