/** Tabs whose scripts are fetched when first needed: a visit that opens none of them loads none. */

import { byId } from "../dom.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {(store: Store) => unknown} Mount */
/** @typedef {{load: () => Promise<Mount>, needed?: (state: AppState) => boolean}} Later */

/** @type {Record<string, Later>} */
const TABS = {
  decode: { load: async () => (await import("./decode.js")).mountDecode },
  check: { load: async () => (await import("./check.js")).mountCheck },
  costs: { load: async () => (await import("./costs.js")).mountCosts },
  code: { load: async () => (await import("./code.js")).mountCode },
  stability: { load: async () => (await import("./stability.js")).mountStability },
  readings: { load: async () => (await import("./readings.js")).mountReadings },
  lesson: {
    load: async () => (await import("./lesson.js")).mountLesson,
    needed: ({ tools }) => tools.lesson.step !== "",
  },
};

/** @param {Store} store */
export function mountLaterTabs(store) {
  for (const [tab, later] of Object.entries(TABS)) mountLater(store, tab, later);
}

/**
 * A hand or the keyboard's focus on the tab begins the loading, before it is pressed. Until it is done the
 * panel is out of reach, for nothing would hear what is typed there.
 * @param {Store} store
 * @param {string} tab
 * @param {Later} later
 */
function mountLater(store, tab, { load, needed = () => false }) {
  /** @type {Promise<Mount> | null} */
  let loading = null;
  let mounted = false;
  const panel = byId(`panel-${tab}`);
  panel.classList.add("is-waiting");

  const loadOnce = () => (loading ??= load());
  const loadAhead = () => void loadOnce().catch(() => (loading = null));

  async function mountWhenNeeded() {
    const state = store.get();
    if (mounted || (state.view.tab !== tab && !needed(state))) return;
    mounted = true;
    const mount = await loadOnce().catch(() => null);
    const error = byId(`${tab}-error`);
    error.hidden = Boolean(mount);
    panel.classList.toggle("is-waiting", !mount);
    if (mount) return void mount(store);
    [mounted, loading] = [false, null];
    error.textContent = t("tabs.notFetched");
  }

  const button = byId(`tab-${tab}`);
  for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, loadAhead);
  button.addEventListener("click", mountWhenNeeded);
  addEventListener("online", mountWhenNeeded);
  store.subscribe((state, previous) => {
    if (state.view.tab !== previous.view.tab || state.tools !== previous.tools) mountWhenNeeded();
  });
  mountWhenNeeded();
}
