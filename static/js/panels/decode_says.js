/** The step in words and numbers: who asks, what the cache is by now, and how far it is from the full pass. */

import { byId, h } from "../dom.js";
import { brief, exact } from "../numbers.js";
import { t } from "../strings.js";
import { showByteBars } from "./byte_bars.js";
import { frameAt } from "./decode_player.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/decoding.js").Decoding} Decoding */
/** @typedef {import("../api/decoding.js").Frame} Frame */

/** More keys than this are a bar and no cells. */
const MOST_CELLS = 96;

/**
 * Labels of the run's tokens; numbered where the answer is not there yet.
 * @param {Store} store
 * @param {"queries" | "keys"} which
 * @param {number} count
 */
export function tokenLabels(store, which, count) {
  const { answer, view } = store.get();
  const labels = answer?.tokens[which][view.batch] ?? answer?.tokens[which][0] ?? [];
  return Array.from({ length: count }, (_, index) => labels[index] ?? `t${index}`);
}

/**
 * @param {Store} store
 * @param {Decoding} decoding
 */
export function showFrame(store, decoding) {
  const at = frameAt(store, decoding);
  const frame = decoding.frames[at];
  const { shape, q } = frame;
  const [, K, P, D] = shape;
  byId("decode-says").textContent = sentence(store, decoding, frame);
  byId("decode-difference").textContent = brief(frame.difference);
  byId("decode-difference").title = exact(frame.difference, false);
  byId("decode-proof-says").textContent = t(frame.difference === 0 ? "decode.same" : "decode.near");
  byId("decode-shape").textContent = t("decode.shape", { shape: `[${shape.join(", ")}]`, P, D });
  showStrip(frame, decoding.keys);
  const last = decoding.frames[decoding.frames.length - 1];
  showByteBars(byId("decode-bytes"), { H: q.shape[1], K }, frame.siblings, last.siblings.mha);
}

/**
 * @param {Store} store
 * @param {Decoding} decoding
 * @param {Frame} frame
 */
function sentence(store, { queries: T }, { position, queries, prefill, shape }) {
  const labels = tokenLabels(store, "queries", T);
  const values = { first: position, last: position + queries - 1, from: labels[position], to: labels[position + queries - 1], count: queries, keys: shape[2] };
  if (prefill) return t(queries === 1 ? "decode.prefillOne" : "decode.prefillSays", values);
  return t(queries === 1 ? "decode.stepSays" : "decode.chunkSays", values);
}

/**
 * @param {Frame} frame
 * @param {number} keys there will be in the end
 */
function showStrip({ shape, queries }, keys) {
  const P = shape[2];
  const strip = byId("decode-strip");
  strip.style.setProperty("--cached", String((P - queries) / keys));
  strip.style.setProperty("--held", String(P / keys));
  strip.classList.toggle("is-whole", keys > MOST_CELLS);
  const cells = keys > MOST_CELLS ? [] : Array.from({ length: keys }, (_, key) => h("i", { class: key < P - queries ? "is-cached" : key < P ? "is-new" : "" }));
  strip.replaceChildren(...cells);
}
