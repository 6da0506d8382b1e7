/** What an open tab asks the server for: only while it is open, once a change, an older question dropped. */

import { ProblemError } from "../api/client.js";
import { byId } from "../dom.js";
import { t } from "../strings.js";
import { problemText, serverText } from "../strings/server.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */

const DEBOUNCE_MS = 60;

/**
 * @template Answer
 * @typedef {object} Question
 * @property {"decode" | "costs" | "code" | "stability" | "readings" | "lesson"} tab its panel, its results and the place of its error
 * @property {(state: AppState) => unknown[]} of what the answer depends on; asked again when one of them changes
 * @property {(state: AppState, signal: AbortSignal) => Promise<Answer>} ask
 * @property {(answer: Answer) => unknown} show
 */

/**
 * The last good answer stays, dimmed, under an error: a number being typed must not make the page jump.
 * @template Answer
 * @param {Store} store
 * @param {Question<Answer>} question
 */
export function mountTabRequest(store, { tab, of, ask, show }) {
  const panel = byId(`panel-${tab}`);
  let controller = new AbortController();
  let timer = 0;
  /** @type {unknown[]} of the last question */
  let asked = [];
  /** @type {unknown} */
  let failure = null;

  async function run() {
    controller = new AbortController();
    const { signal } = controller;
    try {
      const answer = await ask(store.get(), signal);
      if (signal.aborted) return;
      failure = null;
      byId(`${tab}-results`).hidden = false;
      say();
      await show(answer);
      if (!signal.aborted) panel.dataset.answer = "ready";
    } catch (error) {
      if (signal.aborted) return;
      failure = error;
      say();
      panel.dataset.answer = "error";
    }
  }

  function say() {
    const error = byId(`${tab}-error`);
    const kept = byId(`${tab}-results`).hidden ? "" : t("tabs.kept");
    error.hidden = failure === null;
    error.textContent = failure === null ? "" : `${messageOf(failure)} ${kept}`.trim();
  }

  function schedule() {
    const now = of(store.get());
    if (now.length === asked.length && now.every((value, index) => value === asked[index])) return;
    asked = now;
    controller.abort();
    clearTimeout(timer);
    panel.dataset.answer = "computing";
    timer = window.setTimeout(run, DEBOUNCE_MS);
  }

  store.subscribe((state, previous) => {
    if (state.view.tab === tab) schedule();
    if (state.view.language !== previous.view.language) say();
  });
  addEventListener("online", () => {
    if (!failure) return;
    asked = [];
    if (store.get().view.tab === tab) schedule();
  });
  if (store.get().view.tab === tab) schedule();
}

/** @param {unknown} error */
function messageOf(error) {
  if (error instanceof TabRefusal) return error.message;
  if (!(error instanceof ProblemError)) return String(error);
  const { errors } = error.problem;
  return errors.map(({ message }) => serverText(message)).join(" ") || problemText(error.problem);
}

/** What the page itself does not ask for; its message is in the language on show. */
export class TabRefusal extends Error {}
