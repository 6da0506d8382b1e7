/** Text that is run through a model of the server: one run at a time, its progress in the store, its answer put to use. */

import { ProblemError } from "./api/client.js";
import { runText } from "./api/texts.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {import("./store.js").Texts} Texts */
/** @typedef {import("./transfers.js").Transfers} Transfers */
/** @typedef {import("./state/types.js").Upload} Upload */
/** @typedef {import("./state/types.js").Run} Run */
/** @typedef {ReturnType<typeof startRuns>} Runs */

/**
 * @param {Store} store
 * @param {Transfers} transfers
 */
export function startRuns(store, transfers) {
  let controller = new AbortController();
  /** @param {Partial<Texts>} change */
  const set = (change) => store.set({ texts: { ...store.get().texts, ...change } });

  /**
   * @param {Run} request
   * @param {Upload} [wanted] the run that the server has no longer, and that this one takes the place of
   */
  async function run(request, wanted) {
    if (store.get().texts.running) return;
    controller = new AbortController();
    const { signal } = controller;
    set({ running: { done: 0, of: 0 }, problem: null });
    try {
      const answer = await runText(request, (done, of) => set({ running: { done, of } }), signal);
      await transfers.take(answer, { run: request }, wanted);
    } catch (error) {
      if (!signal.aborted) set({ problem: problemOf(error) });
    } finally {
      set({ running: null });
    }
  }

  /** @param {Upload} wanted */
  function again(wanted) {
    if (!wanted.run) return;
    const text = store.get().view.text || wanted.run.text.join("\n");
    store.view({ source: "text", setup: true, text });
    run(wanted.run, wanted);
  }

  return { run, again, cancel: () => controller.abort() };
}

/**
 * @param {unknown} error
 * @returns {import("./state/types.js").Problem}
 */
function problemOf(error) {
  if (error instanceof ProblemError) return error.problem;
  return { title: String(error), detail: "", status: 0, errors: [] };
}
