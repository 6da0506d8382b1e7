/** The one cursor in the token lists: the rows of its query and key are marked, and pointing at a token moves it. */

import { byId } from "../dom.js";
import { dimensions, keyLengths, queryLengths } from "../state/dimensions.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Document} Document */

/** @param {Store} store */
export function mountTokenMarks(store) {
  byId("grids").addEventListener("pointerover", (event) => point(store, event.target));
  const render = () => mark(store);
  store.subscribe((state, previous) => {
    if (state.cursor !== previous.cursor || state.document !== previous.document || state.view !== previous.view) queueMicrotask(render);
  });
}

/**
 * Which tokens a grid lists, and how far its first row is from the first token: filling on the left, and the cache.
 * @param {Document} content
 * @param {string} grid
 * @param {number} item
 */
function listOf(content, grid, item) {
  const { cross, pad_side: side } = content.input;
  const ownKeys = grid === "k" || grid === "v" || grid === "memory";
  const lengths = ownKeys ? keyLengths(content) : queryLengths(content);
  const filling = side === "left" ? Math.max(...lengths) - (lengths[item] ?? 0) : 0;
  const { P } = dimensions(content);
  return { queries: !ownKeys, keys: ownKeys || (grid === "x" && !cross), filling, cached: P };
}

/** @param {Store} store */
function mark(store) {
  const { cursor, document: content, view } = store.get();
  for (const input of /** @type {NodeListOf<HTMLElement>} */ (byId("grids").querySelectorAll("[data-grid][data-col='-1']"))) {
    const { grid = "", row = "0" } = input.dataset;
    const list = listOf(content, grid, view.batch);
    const token = Number(row) + list.filling;
    const line = input.closest("tr");
    line?.classList.toggle("is-query", cursor !== null && list.queries && cursor.query === token);
    line?.classList.toggle("is-key", cursor !== null && list.keys && cursor.key === token + list.cached);
  }
}

/**
 * @param {Store} store
 * @param {EventTarget | null} target
 */
function point(store, target) {
  const { cursor, pinned, document: content, view, answer } = store.get();
  const input = target instanceof HTMLElement ? target.closest("[data-grid][data-col='-1']") : null;
  if (!(input instanceof HTMLElement) || pinned || !answer) return;
  const list = listOf(content, input.dataset.grid ?? "", view.batch);
  const token = Number(input.dataset.row) + list.filling;
  const [, , T, S] = answer.tensors.weights.shape;
  const from = cursor ?? { query: 0, key: 0 };
  const moved = list.queries ? { ...from, query: Math.min(T - 1, token) } : { ...from, key: Math.min(S - 1, token + list.cached) };
  store.set({ cursor: moved, cursorStage: "heads" });
}
