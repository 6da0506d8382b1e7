/** A link may name files that the server has no longer: they are asked for by name and hash, or run again. */

import { byId, h } from "../dom.js";
import { t } from "../strings.js";
import { bytes, short } from "./file_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../transfers.js").Transfers} Transfers */
/** @typedef {import("../runs.js").Runs} Runs */
/** @typedef {import("../state/types.js").Upload} Upload */

/**
 * @param {Store} store
 * @param {Transfers} transfers
 * @param {Runs} runs
 */
export function mountFileNotice(store, transfers, runs) {
  const section = byId("file-notice");
  const render = () => {
    const { document: content, files } = store.get();
    const missing = content.uploads.filter(({ id }) => files.known[id] === null);
    section.hidden = missing.length === 0;
    section.replaceChildren(...missing.map((upload) => notice(upload, chooser(store, transfers, upload), runs)));
  };
  store.subscribe((state, previous) => {
    const known = state.files.known !== previous.files.known || state.document.uploads !== previous.document.uploads;
    if (known || state.view.language !== previous.view.language) render();
  });
  render();
}

/**
 * @param {Upload} upload
 * @param {HTMLElement[]} choice
 * @param {Runs} runs
 */
function notice(upload, choice, runs) {
  const { id, name, size, beside, run } = upload;
  const names = [name, ...beside].join(", ");
  const again = h("button", { type: "button", class: "button primary", text: t("texts.again"), title: t("texts.again.tip"), on: { click: () => runs.again(upload) } });
  return h("div", {}, [
    h("p", { text: run ? t("texts.wanted", { model: run.model, text: run.text.join(" / ") }) : t("files.wanted", { names, size: bytes(size), hash: short(id) }) }),
    h("div", { class: "row" }, run ? [again, ...choice] : choice),
  ]);
}

/**
 * @param {Store} store
 * @param {Transfers} transfers
 * @param {Upload} upload
 */
function chooser(store, transfers, upload) {
  const { id, name } = upload;
  const input = h("input", { type: "file", multiple: true, hidden: true, "aria-label": t("files.choose"), data: { wanted: id } });
  input.addEventListener("change", () => {
    transfers.bring([...(input.files ?? [])], { wanted: upload });
    store.view({ source: "file" });
  });
  const button = h("button", { type: "button", class: "button", text: t("files.chooseNamed", { name }), title: t("files.wanted.tip"), on: { click: () => input.click() } });
  return [button, input];
}
