/** Check my model: someone's own numbers against this run, whenever either changes. */

import { fetchCheck } from "../api/check.js";
import { ProblemError } from "../api/client.js";
import { byId } from "../dom.js";
import { NumbersError, checkBody, givenNames } from "../state/own_numbers.js";
import { t } from "../strings.js";
import { problemText, serverText } from "../strings/server.js";
import { mountCheckExample } from "./check_example.js";
import { mountCheckInputs, showInputError } from "./check_inputs.js";
import { mountCheckResults } from "./check_results.js";
import { mountCheckTake } from "./check_take.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */

const DEBOUNCE_MS = 120;

/** @param {Store} store */
export function mountCheck(store) {
  const panel = byId("panel-check");
  mountCheckInputs(store);
  mountCheckExample(store);
  mountCheckTake(store);
  const results = mountCheckResults(store);
  let controller = new AbortController();
  let timer = 0;
  /** @type {unknown} why the last check gave nothing */
  let failure = null;

  async function run() {
    const { document: content, own } = store.get();
    controller = new AbortController();
    const { signal } = controller;
    try {
      const body = checkBody(content, own);
      const found = body && (await fetchCheck(body, shownStage(store.get()), signal));
      if (signal.aborted) return;
      failure = null;
      sayFailure(null);
      await results.show(found);
      panel.dataset.check = found ? "ready" : "";
    } catch (error) {
      if (signal.aborted) return;
      failure = error;
      sayFailure(failure);
      panel.dataset.check = "error";
    }
  }

  function schedule() {
    controller.abort();
    clearTimeout(timer);
    panel.dataset.check = givenNames(store.get().own).length ? "computing" : "";
    timer = window.setTimeout(run, DEBOUNCE_MS);
  }

  store.subscribe((state, previous) => {
    const changed = state.document !== previous.document || state.own !== previous.own || state.view.tab !== previous.view.tab || shownStage(state) !== shownStage(previous);
    if (state.view.tab === "check" && changed) schedule();
    else if (failure && state.view.language !== previous.view.language) sayFailure(failure);
  });
  addEventListener("online", () => failure && schedule());
  if (store.get().view.tab === "check") schedule();
}

/**
 * The tensor that is pictured: the chosen one, if numbers were given for it.
 * @param {AppState} state
 */
export function shownStage({ own, view }) {
  const names = givenNames(own);
  return names.find((name) => name === view.checked) ?? names.at(-1) ?? "weights";
}

/**
 * At the numbers that it is about; above the results where it is about none.
 * @param {unknown} error null to take it back
 */
function sayFailure(error) {
  showInputError(null, "");
  const kept = byId("check-results").hidden ? "" : t("check.kept");
  const general = error === null ? "" : placed(error) ? kept : `${messageOf(error)} ${kept}`.trim();
  const element = byId("check-error");
  element.textContent = general;
  element.hidden = general === "";
}

/**
 * @param {unknown} error
 * @returns {boolean} whether it was said at its input
 */
function placed(error) {
  if (error instanceof NumbersError) return showInputError(error.tensor, t(error.elided ? "check.elided" : "check.unreadable"));
  if (!(error instanceof ProblemError)) return false;
  const { errors } = error.problem;
  return errors.length > 0 && errors.every(({ loc, message }) => showInputError(nameOf(loc), serverText(message)));
}

/**
 * "expected", a tensor and the place in it; or a tolerance.
 * @param {(string | number)[]} loc
 */
function nameOf([first, second]) {
  return String(first === "expected" ? second : first);
}

/** @param {unknown} error */
function messageOf(error) {
  return error instanceof ProblemError ? problemText(error.problem) : String(error);
}
