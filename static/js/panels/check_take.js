/** The check on show as text to paste into a shell or a Python prompt. */

import { byId } from "../dom.js";
import { copy, download } from "../files.js";
import { CHECK_FILE, checkCurl, checkPython } from "../snippets.js";
import { checkBody } from "../state/own_numbers.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */

/** @param {Store} store */
export function mountCheckTake(store) {
  const says = byId("check-take-says");
  const take = (/** @type {(body: import("../state/own_numbers.js").CheckBody) => string} */ snippet) => async () => {
    const { document: content, own } = store.get();
    const body = checkBody(content, own);
    if (body) says.textContent = t((await copy(snippet(body))) ? "export.copied" : "export.cannotCopy");
  };
  byId("check-save").addEventListener("click", () => {
    const { document: content, own } = store.get();
    const text = JSON.stringify(checkBody(content, own));
    download(new Blob([text], { type: "application/json" }), CHECK_FILE);
  });
  byId("check-python").addEventListener("click", take(checkPython));
  byId("check-curl").addEventListener("click", take(checkCurl));
  store.subscribe((state, previous) => {
    if (state.own !== previous.own || state.document !== previous.document || state.view.language !== previous.view.language) says.textContent = "";
  });
}
