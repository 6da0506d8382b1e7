/** The state in the address bar: read at the start and when another link is opened, written after each change. */

import { fromLines, keptOf, stateOf, toLines } from "./state/kept.js";
import { MOST_CHARACTERS, fromFragment, toFragment } from "./state/link.js";
import { keptChanged, load } from "./storage.js";

/** @typedef {import("./store.js").Store} Store */

/** Browsers refuse more than about a hundred changes of the address in half a minute. */
const WRITE_AFTER_MS = 350;

/**
 * The state to start from: that of the link, or else what this browser last had. A link that this
 * browser wrote itself may be a moment older than its storage.
 * @returns {Promise<{state: ReturnType<typeof stateOf>, notice: import("./state/types.js").LinkNotice | null} | null>}
 */
export async function restore() {
  const saved = load();
  const fragment = saved?.fragment === location.hash ? null : await fromFragment(location.hash);
  if (!fragment) return saved && { state: stateOf(fromLines(saved.lines).kept), notice: null };
  const notice = noticeOf(fragment);
  if (fragment.fault === "version" && saved) return { state: stateOf(fromLines(saved.lines).kept), notice };
  return { state: stateOf(fromLines(fragment.lines).kept), notice };
}

/**
 * @param {import("./state/link.js").Fragment} fragment
 * @returns {import("./state/types.js").LinkNotice | null}
 */
function noticeOf({ lines, fault }) {
  const { unread } = fromLines(lines);
  return fault || unread.length ? { fault, unread } : null;
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
    const notice = noticeOf(fragment);
    if (fragment.fault === "version") store.set({ notice });
    else store.set({ ...stateOf(fromLines(fragment.lines).kept), notice });
  });
  return write;
}
