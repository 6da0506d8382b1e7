/** What was typed survives a reload. */

import { toSpec } from "./state/to_spec.js";

const KEY = "attention-visualiser/1";
const SAVE_AFTER_MS = 250;

/**
 * @returns {Pick<import("./store.js").AppState, "document" | "view"> | null} null when there is nothing, or nothing that still makes a specification
 */
export function load() {
  try {
    const saved = JSON.parse(localStorage.getItem(KEY) ?? "null");
    if (!saved?.document || !saved?.view) return null;
    toSpec(saved.document);
    return saved;
  } catch {
    return null;
  }
}

/** @param {import("./store.js").Store} store */
export function keepSaved(store) {
  let timer = 0;
  const save = () => {
    clearTimeout(timer);
    const { document, view } = store.get();
    try {
      localStorage.setItem(KEY, JSON.stringify({ document, view }));
    } catch {
      // Storage that is full or forbidden must not stop the page.
    }
  };
  store.subscribe((state, previous) => {
    if (state.document === previous.document && state.view === previous.view) return;
    clearTimeout(timer);
    timer = window.setTimeout(save, SAVE_AFTER_MS);
  });
  addEventListener("pagehide", save);
}
