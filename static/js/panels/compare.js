/** Compare two runs: what with what, the request, and what to show when it is answered. */

import { ProblemError, fetchComparison } from "../api/client.js";
import { byId } from "../dom.js";
import { placeOfFault } from "../json_fault.js";
import { HiddenFault, comparisonBody, stageOfBoth } from "../state/comparison.js";
import { t } from "../strings.js";
import { problemText, serverText } from "../strings/server.js";
import { mountCompareControls } from "./compare_controls.js";
import { mountCompareResults } from "./compare_results.js";

/** @typedef {import("../store.js").Store} Store */

const DEBOUNCE_MS = 40;

/** @param {Store} store */
export function mountCompare(store) {
  const panel = byId("panel-compare");
  mountCompareControls(store);
  const results = mountCompareResults(store);
  let controller = new AbortController();
  let timer = 0;
  /** @type {{error: unknown, text: string} | null} why the last comparison gave nothing */
  let failure = null;

  async function run() {
    const { document: content, compare } = store.get();
    controller = new AbortController();
    const { signal } = controller;
    try {
      const body = comparisonBody(content, compare);
      const found = body && (await compared(body, compare.stage, signal));
      if (signal.aborted) return;
      failure = null;
      showError("");
      await results.show(found);
      panel.dataset.comparison = found ? "ready" : "";
    } catch (error) {
      if (signal.aborted) return;
      failure = { error, text: compare.text };
      sayFailure();
      panel.dataset.comparison = "error";
    }
  }

  function sayFailure() {
    if (!failure) return;
    const kept = byId("compare-results").hidden ? "" : t("compare.kept");
    showError(`${messageOf(failure.error, failure.text)} ${kept}`.trim());
  }

  function schedule() {
    controller.abort();
    clearTimeout(timer);
    panel.dataset.comparison = store.get().compare.mode ? "computing" : "";
    timer = window.setTimeout(run, DEBOUNCE_MS);
  }

  store.subscribe((state, previous) => {
    const concerned = state.view.tab === "compare" && (state.compare.mode !== "" || previous.compare.mode !== "");
    const changed = state.document !== previous.document || state.compare !== previous.compare || state.view.tab !== previous.view.tab;
    if (concerned && changed) schedule();
    else if (state.view.language !== previous.view.language) sayFailure();
  });
  addEventListener("online", () => failure && schedule());
  if (store.get().compare.mode) schedule();
}

/**
 * @param {Record<string, any>} body
 * @param {string} wanted
 * @param {AbortSignal} signal
 */
function compared(body, wanted, signal) {
  const stage = stageOfBoth(body, wanted);
  return fetchComparison(body, [...new Set([stage, "allowed"])], stage, signal);
}

/** @param {string} message */
function showError(message) {
  const error = byId("compare-error");
  error.textContent = message;
  error.hidden = message === "";
}

/**
 * @param {unknown} error
 * @param {string} text of the other run
 */
function messageOf(error, text) {
  if (error instanceof SyntaxError) return t("spec.unreadable", placeOfFault(error, text));
  if (error instanceof HiddenFault) return t(`spec.${error.fault.kind}`, error.fault);
  if (error instanceof RangeError) return t("spec.tooDeep");
  if (!(error instanceof ProblemError)) return String(error);
  const { errors } = error.problem;
  const lines = errors.map(({ loc, message }) => `${place(loc)}${serverText(message)}`);
  return lines.join(" ") || problemText(error.problem);
}

/** @param {(string | number)[]} loc "a" or "b" and the place within */
function place([side, ...rest]) {
  const name = side === "a" || side === "b" ? side.toUpperCase() : "";
  const within = rest.length ? ` ${rest.join(".")}` : "";
  return name ? `${name}${within}: ` : "";
}
