/** The link to what is on show, the file for what is too large for one, and what could not be read of either. */

import { byId, h } from "../dom.js";
import { copy, download } from "../files.js";
import { fromFile, toFile } from "../state/file.js";
import { keptOf, stateOf } from "../state/kept.js";
import { MOST_CHARACTERS, VERSION } from "../state/link.js";
import { t } from "../strings.js";
import { placeName } from "../strings/places.js";

/** @typedef {import("../store.js").Store} Store */

const FILE_NAME = "attention.json";

/**
 * @param {Store} store
 * @param {() => Promise<void>} writeAddress
 */
export function mountShare(store, writeAddress) {
  const share = /** @type {HTMLDetailsElement} */ (byId("share"));
  const file = /** @type {HTMLInputElement} */ (byId("state-file"));
  byId("copy-link").addEventListener("click", async () => {
    await writeAddress();
    await copyLink(store);
  });
  byId("save-state").addEventListener("click", () => save(store));
  byId("open-state").addEventListener("click", () => file.click());
  file.addEventListener("change", async () => {
    const [chosen] = file.files ?? [];
    if (chosen) open(store, await chosen.text());
    file.value = "";
    share.open = false;
  });
  share.addEventListener("toggle", () => {
    if (share.open) writeAddress();
  });
  store.subscribe((state, previous) => {
    const said = state.view.language !== previous.view.language;
    if (state.link !== previous.link || said) showLink(state.link);
    if (state.notice !== previous.notice || said) showNotice(store);
  });
  showLink(store.get().link);
  showNotice(store);
}

/** @param {{characters: number, fits: boolean}} link */
function showLink({ characters, fits }) {
  const sizes = { size: kilobytes(characters), most: kilobytes(MOST_CHARACTERS) };
  byId("link-note").textContent = characters ? t(fits ? "share.size" : "share.tooLarge", sizes) : "";
  /** @type {HTMLButtonElement} */ (byId("copy-link")).disabled = !fits;
}

/** @param {number} characters */
function kilobytes(characters) {
  return Number((characters / 1024).toPrecision(3));
}

/** @param {Store} store */
async function copyLink(store) {
  const { characters } = store.get().link;
  const copied = await copy(location.href);
  byId("link-note").textContent = copied ? t("share.copied", { size: kilobytes(characters) }) : t("share.cannotCopy");
}

/** @param {Store} store */
function save(store) {
  download(new Blob([toFile(keptOf(store.get()))], { type: "application/json" }), FILE_NAME);
}

/**
 * @param {Store} store
 * @param {string} text
 */
function open(store, text) {
  const read = fromFile(text, keptOf(store.get()));
  if (!read) return store.set({ notice: { fault: "file", unread: [] } });
  const notice = read.unread.length ? { fault: /** @type {const} */ (""), unread: read.unread } : null;
  return store.set({ ...stateOf(read.kept), notice });
}

/** @param {string[]} names in the language on show, each once */
function listed(names) {
  return new Intl.ListFormat(document.documentElement.lang).format(new Set(names));
}

/** @param {Store} store */
function showNotice(store) {
  const { notice } = store.get();
  const section = byId("link-notice");
  section.hidden = !notice;
  if (!notice) return section.replaceChildren();
  const close = () => store.set({ notice: null });
  const lines = [
    ...(notice.fault ? [t(`link.${notice.fault}`, { version: VERSION, fragment: notice.fragment ?? "" })] : []),
    ...(notice.unread.length ? [t("link.unread", { parts: listed(notice.unread.map(placeName)) })] : []),
  ];
  return section.replaceChildren(
    h("div", {}, lines.map((text) => h("p", { text }))),
    h("button", { type: "button", class: "tool", text: "×", title: t("link.dismiss"), "aria-label": t("link.dismiss"), on: { click: close } }),
  );
}
