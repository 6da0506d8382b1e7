/** The state in the address bar: read at the start and when another link is opened, written after each change. */

import { fromLines, keptOf, stateOf, toLines } from "./state/kept.js";
import { MOST_CHARACTERS, fromFragment, toFragment } from "./state/link.js";
import { keptChanged, load } from "./storage.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {ReturnType<typeof stateOf>} State */

/** Browsers refuse more than about a hundred changes of the address in half a minute. */
const WRITE_AFTER_MS = 350;

/**
 * The state to start from: that of the link, or else what this browser last had. A link that this
 * browser wrote itself may be a moment older than its storage.
 * @returns {Promise<{state: State, notice: import("./state/types.js").LinkNotice | null, before: State | null} | null>} before: what a link took the place of
 */
export async function restore() {
  const saved = load();
  const fragment = saved?.fragment === location.hash ? null : await fromFragment(location.hash);
  const before = saved && stateOf(fromLines(saved.lines).kept);
  if (!fragment) return before && { state: before, notice: null, before: null };
  const { kept, notice } = read(fragment);
  return isNothing(fragment) ? { state: before ?? stateOf(kept), notice, before: null } : { state: stateOf(kept), notice, before: fragment.lines === saved?.lines ? null : before };
}

/**
 * @param {import("./state/link.js").Fragment} fragment
 * @returns {{kept: import("./state/kept.js").Kept, notice: import("./state/types.js").LinkNotice | null}}
 */
function read({ lines, fault }) {
  const { kept, unread } = fromLines(lines, fault === "cut");
  return { kept, notice: fault || unread.length ? { fault, unread } : null };
}

/** @param {import("./state/link.js").Fragment} fragment */
function isNothing({ fault }) {
  return fault === "version" || fault === "lost";
}

/** @param {Store} store */
export function keepInAddress(store) {
  let timer = 0;
  let turn = 0;
  const write = async () => {
    const own = (turn += 1);
    const fragment = await toFragment(toLines(keptOf(store.get())));
    if (own !== turn) return;
    const fits = fragment.length <= MOST_CHARACTERS;
    history.replaceState(history.state, "", fits ? fragment : location.pathname + location.search);
    store.set({ link: { characters: fragment.length, fits } });
  };
  store.subscribe((state, previous) => {
    if (!keptChanged(state, previous)) return;
    clearTimeout(timer);
    timer = window.setTimeout(write, WRITE_AFTER_MS);
  });
  addEventListener("hashchange", async () => {
    const fragment = await fromFragment(location.hash);
    if (!fragment) return;
    const { kept, notice } = read(fragment);
    store.set(isNothing(fragment) ? { notice } : { ...stateOf(kept), notice });
  });
  return write;
}
