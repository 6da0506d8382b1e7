/** The tabs below the pictures: one panel at a time, chosen by press or by arrow keys. */

import { byId } from "../dom.js";
import { reveal, watchEdges } from "./strip.js";

/** @typedef {import("../store.js").Store} Store */

/** @param {Store} store */
export function mountTabs(store) {
  const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("[data-tab]")]);
  for (const tab of tabs) {
    tab.addEventListener("click", () => store.view({ tab: tab.dataset.tab }));
    tab.addEventListener("keydown", (event) => onKey(tabs, tab, event));
  }
  const render = () => {
    const chosen = tabs.find((tab) => tab.dataset.tab === store.get().view.tab) ?? tabs[0];
    for (const tab of tabs) show(tab, tab === chosen);
    requestAnimationFrame(() => reveal(byId("tab-strip"), chosen));
  };
  store.subscribe((state, previous) => {
    if (state.view.tab !== previous.view.tab) render();
  });
  watchEdges(byId("tab-strip"));
  render();
}

/**
 * @param {HTMLElement} tab
 * @param {boolean} chosen
 */
function show(tab, chosen) {
  tab.setAttribute("aria-selected", String(chosen));
  tab.tabIndex = chosen ? 0 : -1;
  const panel = document.getElementById(`panel-${tab.dataset.tab}`);
  if (panel) panel.hidden = !chosen;
}

/**
 * @param {HTMLElement[]} tabs
 * @param {HTMLElement} tab
 * @param {KeyboardEvent} event
 */
function onKey(tabs, tab, event) {
  const place = tabs.indexOf(tab);
  const last = tabs.length - 1;
  const target = /** @type {Record<string, number>} */ ({ ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: last })[event.key];
  if (target === undefined) return;
  event.preventDefault();
  const next = tabs[(target + tabs.length) % tabs.length];
  next.focus();
  next.click();
}
