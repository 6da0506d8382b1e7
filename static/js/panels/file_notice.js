/** A link may name files that the server has no longer: they are asked for by name and hash. */

import { byId, h } from "../dom.js";
import { t } from "../strings.js";
import { bytes, short } from "./file_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../transfers.js").Transfers} Transfers */

/**
 * @param {Store} store
 * @param {Transfers} transfers
 */
export function mountFileNotice(store, transfers) {
  const section = byId("file-notice");
  const render = () => {
    const { document: content, files } = store.get();
    const missing = content.uploads.filter(({ id }) => files.known[id] === null);
    section.hidden = missing.length === 0;
    section.replaceChildren(...missing.map((upload) => notice(store, transfers, upload)));
  };
  store.subscribe((state, previous) => {
    const known = state.files.known !== previous.files.known || state.document.uploads !== previous.document.uploads;
    if (known || state.view.language !== previous.view.language) render();
  });
  render();
}

/**
 * @param {Store} store
 * @param {Transfers} transfers
 * @param {import("../state/types.js").Upload} upload
 */
function notice(store, transfers, upload) {
  const { id, name, size, beside } = upload;
  const input = h("input", { type: "file", multiple: true, hidden: true, "aria-label": t("files.choose"), data: { wanted: id } });
  input.addEventListener("change", () => {
    transfers.bring([...(input.files ?? [])], { wanted: upload });
    store.view({ source: "file" });
  });
  const names = [name, ...beside].join(", ");
  return h("div", {}, [
    h("p", { text: t("files.wanted", { names, size: bytes(size), hash: short(id) }) }),
    h("div", { class: "row" }, [h("button", { type: "button", class: "button", text: t("files.chooseNamed", { name }), title: t("files.wanted.tip"), on: { click: () => input.click() } }), input]),
  ]);
}
