/** What was typed survives a reload: the kept state in the browser's own storage. */

import { keptOf, toLines } from "./state/kept.js";

const KEY = "attention-visualiser/2";
const SAVE_AFTER_MS = 250;

/** @typedef {{lines: string, fragment: string}} Saved the state, and the address that stood above it */

/** @returns {Saved | null} null when there is nothing */
export function load() {
  try {
    const { lines, fragment } = JSON.parse(localStorage.getItem(KEY) ?? "null") ?? {};
    return typeof lines === "string" ? { lines, fragment: String(fragment) } : null;
  } catch {
    return null;
  }
}

/** @param {import("./store.js").Store} store */
export function keepSaved(store) {
  let timer = 0;
  const save = () => {
    clearTimeout(timer);
    try {
      localStorage.setItem(KEY, JSON.stringify({ lines: toLines(keptOf(store.get())), fragment: location.hash }));
    } catch {
      // Storage that is full or forbidden must not stop the page.
    }
  };
  store.subscribe((state, previous) => {
    if (!keptChanged(state, previous)) return;
    clearTimeout(timer);
    timer = window.setTimeout(save, SAVE_AFTER_MS);
  });
  addEventListener("pagehide", save);
}

/**
 * @param {import("./store.js").AppState} state
 * @param {import("./store.js").AppState} previous
 */
export function keptChanged(state, previous) {
  const [now, before] = [keptOf(state), keptOf(previous)];
  return /** @type {(keyof typeof now)[]} */ (Object.keys(now)).some((part) => now[part] !== before[part]);
}
