/** The state in the address bar: read at the start and when another link is opened, written after each change. */

import { fromLines, keptOf, stateOf, toLines } from "./state/kept.js";
import { MOST_CHARACTERS, fromFragment, toFragment } from "./state/link.js";
import { keptChanged, load } from "./storage.js";

/** @typedef {import("./store.js").Store} Store */
/** @typedef {ReturnType<typeof stateOf>} State */

/** Browsers refuse more than about a hundred changes of the address in half a minute. */
const WRITE_AFTER_MS = 350;

/** Characters of an address that a note repeats. */
const MOST_SAID = 40;

/**
 * The state to start from: that of the link, or else what this browser last had. A link that this
 * browser wrote itself may be a moment older than its storage.
 * @returns {Promise<{state: State | null, notice: import("./state/types.js").LinkNotice | null, before: State | null} | null>} before: what a link took the place of
 */
export async function restore() {
  const saved = load();
  const fragment = await ownFragment();
  const before = saved && stateOf(fromLines(saved.lines).kept);
  const written = fragment?.fault === "" && saved?.fragment === location.hash;
  if (!fragment || written) return before && { state: before, notice: null, before: null };
  const { kept, notice } = read(fragment);
  if (isNothing(fragment)) return { state: before, notice, before: null };
  return { state: stateOf(kept), notice, before: fragment.lines === saved?.lines ? null : before };
}

/**
 * What the address ends in; null where that is nothing, or a place on this page.
 * @returns {Promise<import("./state/link.js").Fragment | null>}
 */
async function ownFragment() {
  const { hash } = location;
  if (hash.length < 2 || document.getElementById(hash.slice(1))) return null;
  return (await fromFragment(hash)) ?? { lines: "", fault: "foreign" };
}

/**
 * @param {import("./state/link.js").Fragment} fragment
 * @returns {{kept: import("./state/kept.js").Kept, notice: import("./state/types.js").LinkNotice | null}}
 */
function read({ lines, fault }) {
  const { kept, unread } = fromLines(lines, fault === "cut");
  const own = fault === "foreign" ? { fragment: beginningOf(location.hash) } : {};
  return { kept, notice: fault || unread.length ? { fault, unread, ...own } : null };
}

/** @param {import("./state/link.js").Fragment} fragment */
function isNothing({ fault }) {
  return fault === "version" || fault === "lost" || fault === "foreign";
}

/** @param {string} text */
function beginningOf(text) {
  return text.length > MOST_SAID ? `${text.slice(0, MOST_SAID)}…` : text;
}

/** @param {Store} store */
export function keepInAddress(store) {
  let timer = 0;
  let turn = 0;
  const { dataset } = document.documentElement;
  const write = async () => {
    const own = (turn += 1);
    clearTimeout(timer);
    const fragment = await toFragment(toLines(keptOf(store.get())));
    if (own !== turn) return;
    const characters = fragment.length;
    const fits = characters <= MOST_CHARACTERS;
    history.replaceState(history.state, "", fits ? fragment : location.pathname + location.search);
    const { link } = store.get();
    if (link.characters !== characters || link.fits !== fits) store.set({ link: { characters, fits } });
    dataset.link = "written";
  };
  store.subscribe((state, previous) => {
    if (!keptChanged(state, previous)) return;
    dataset.link = "behind";
    turn += 1;
    clearTimeout(timer);
    timer = window.setTimeout(write, WRITE_AFTER_MS);
  });
  addEventListener("hashchange", async () => {
    const fragment = await ownFragment();
    if (!fragment) return;
    const { kept, notice } = read(fragment);
    store.set(isNothing(fragment) ? { notice } : { ...stateOf(kept), notice });
  });
  return write;
}
