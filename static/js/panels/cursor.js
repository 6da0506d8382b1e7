/** The one cursor in the large pictures of the selected head. Escape lets it go. */

import { wholeAnswer } from "../api/needed.js";
import { stageOf } from "../figures/stages.js";
import { mountFrameCursor } from "./frame_cursor.js";

/** @typedef {import("../store.js").Store} Store */

const FRAMES = /** @type {const} */ (["scores", "weights", "stage"]);

/** @param {Store} store */
export function mountCursor(store) {
  const marks = FRAMES.map((name) => mountFrameCursor(store, { id: name, stage: () => stageIn(store, name), stands: name }));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && store.get().cursor) store.set({ cursor: null, pinned: false });
  });
  return () => marks.forEach((mark) => mark());
}

/**
 * The stage that a frame shows.
 * @param {Store} store
 * @param {typeof FRAMES[number]} name
 */
function stageIn(store, name) {
  const answer = wholeAnswer(store.get());
  return name === "stage" && answer ? stageOf(answer, store.get().view.stage) : name === "stage" ? "weights" : name;
}
