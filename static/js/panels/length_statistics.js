/** The statistics of a long run's heads, from one exact pass over all rows. */

import { fetchRowMeans } from "../api/client.js";
import { byId } from "../dom.js";
import { isWeights } from "../state/stages.js";
import { toSpec } from "../state/to_spec.js";
import { statisticEntries } from "./statistics.js";

/** @typedef {import("../length_scene.js").Scene} Scene */
/** @typedef {import("../state/types.js").Document} Document */
/** @typedef {Record<string, {value: number, single: boolean}>} Means by the statistic's name */

/** Pairs that are computed without being asked for: about a second's work. */
const MOST_UNASKED = 2 ** 30;

/** @param {() => Scene | null} sceneNow */
export function mountLengthStatistics(sceneNow) {
  /** @type {WeakMap<Document, Map<string, Means>>} by sequence and head */
  const known = new WeakMap();
  let job = new AbortController();
  /** @type {"" | "asked for" | "unasked"} */
  let asking = "";
  const button = byId("length-statistics-compute");
  button.addEventListener("click", () => begin(true));

  /** @param {Scene} scene */
  function meansOf({ subject: { document, batch, head } }) {
    return known.get(document)?.get([batch, head].join()) ?? null;
  }

  /** @param {boolean} asked */
  async function begin(asked) {
    const scene = sceneNow();
    if (!scene || asking || !isWeights(scene.subject.stage) || meansOf(scene)) return;
    const { document, batch, head } = scene.subject;
    const { rows, cols } = scene.span.totals;
    const all = scene.plan.layout.num_heads * rows * cols <= MOST_UNASKED;
    if (!asked && !all && rows * cols > MOST_UNASKED) return;
    job = new AbortController();
    const { signal } = job;
    asking = asked ? "asked for" : "unasked";
    render();
    try {
      const found = await fetchRowMeans({ spec: toSpec(document), batch, ...(all ? {} : { heads: [head] }) }, signal);
      const kept = known.get(document) ?? new Map();
      known.set(document, kept);
      for (const { head: one, means } of found) kept.set([batch, one].join(), means);
    } catch {
      // The picture says what is wrong with the run; the button asks again.
    }
    if (job.signal === signal) asking = "";
    render();
  }

  function render() {
    const scene = sceneNow();
    if (!scene) return;
    const weights = isWeights(scene.subject.stage);
    const means = weights ? meansOf(scene) : null;
    byId("length-statistics").replaceChildren(...(means ? statisticEntries((name) => means[name]) : []));
    button.hidden = !weights || means !== null || asking === "unasked" || Boolean(scene.work);
    button.toggleAttribute("disabled", asking !== "");
  }

  return {
    begin: () => begin(false),
    render,
    stop() {
      job.abort();
      asking = "";
    },
  };
}
