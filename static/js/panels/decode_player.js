/** Play, pause and step through the frames of decoding; space and the arrow keys do the same. */

import { byId } from "../dom.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/decoding.js").Decoding} Decoding */

const STEP_MS = 800;
const STEPS = /** @type {Record<string, number>} */ ({ ArrowLeft: -1, ArrowRight: 1 });

/**
 * The frame on show, as far as there are frames.
 * @param {Store} store
 * @param {Decoding} decoding
 */
export function frameAt(store, { frames }) {
  return Math.min(store.get().tools.decode.frame, frames.length - 1);
}

/**
 * The newest query is where the page's cursor stands, unless it is pinned elsewhere.
 * @param {Store} store
 * @param {Decoding} decoding
 * @param {number} frame
 */
export function goTo(store, { frames }, frame) {
  const at = Math.max(0, Math.min(frames.length - 1, frame));
  const { position, queries, shape } = frames[at];
  const { pinned, tools } = store.get();
  const cursor = { query: position + queries - 1, key: shape[2] - 1 };
  store.set({ tools: { ...tools, decode: { ...tools.decode, frame: at } }, ...(pinned ? {} : { cursor }) });
}

/**
 * @param {Store} store
 * @param {() => Decoding | null} decoding
 */
export function mountPlayer(store, decoding) {
  let timer = 0;
  const slider = /** @type {HTMLInputElement} */ (byId("decode-frame"));

  const stop = () => {
    clearInterval(timer);
    timer = 0;
    showPlaying(false);
  };
  const step = (/** @type {number} */ by) => {
    const found = decoding();
    if (found) goTo(store, found, frameAt(store, found) + by);
  };
  const advance = () => {
    const found = decoding();
    if (!found || byId("panel-decode").hidden) return stop();
    step(1);
    return isLast(store, found) ? stop() : undefined;
  };
  const play = () => {
    const found = decoding();
    if (!found) return;
    if (isLast(store, found)) goTo(store, found, 0);
    if (!isLast(store, found)) timer = window.setInterval(advance, STEP_MS);
    showPlaying(timer !== 0);
  };
  const toggle = () => (timer ? stop() : play());
  const byHand = (/** @type {() => void} */ act) => () => {
    stop();
    act();
  };

  byId("decode-play").addEventListener("click", toggle);
  byId("decode-back").addEventListener("click", byHand(() => step(-1)));
  byId("decode-next").addEventListener("click", byHand(() => step(1)));
  slider.addEventListener("input", byHand(() => {
    const found = decoding();
    if (found) goTo(store, found, Number(slider.value));
  }));
  byId("decode-results").addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const by = target === slider || target.id === "decode-frame-triangle" ? undefined : STEPS[event.key];
    if (by) byHand(() => step(by))();
    else if (event.key === " " && target.tagName !== "BUTTON") toggle();
    else return;
    event.preventDefault();
  });
  store.subscribe((state, previous) => {
    if (timer && state.document !== previous.document) stop();
    if (state.view.language !== previous.view.language) showPlaying(timer !== 0);
  });
  showPlaying(false);

  return {
    render: () => {
      const found = decoding();
      if (!found) return;
      const at = frameAt(store, found);
      slider.max = String(found.frames.length - 1);
      slider.value = String(at);
      slider.setAttribute("aria-valuetext", t("decode.count", { at: at + 1, of: found.frames.length }));
      byId("decode-count").textContent = t("decode.count", { at: at + 1, of: found.frames.length });
      byId("decode-back").setAttribute("aria-disabled", String(at === 0));
      byId("decode-next").setAttribute("aria-disabled", String(isLast(store, found)));
    },
  };
}

/**
 * @param {Store} store
 * @param {Decoding} decoding
 */
function isLast(store, decoding) {
  return frameAt(store, decoding) === decoding.frames.length - 1;
}

/** @param {boolean} playing */
function showPlaying(playing) {
  const button = byId("decode-play");
  const name = t(playing ? "decode.pause" : "decode.play");
  button.textContent = playing ? "❚❚" : "▶";
  button.setAttribute("aria-label", name);
  button.title = name;
}
