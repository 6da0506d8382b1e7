/** Above the pipeline while a captured run is on show: which of its calls, and the ones before and after. */

import { byId, h, setAttributes } from "../dom.js";
import { callOnShow } from "../state/brought.js";
import { t } from "../strings.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../transfers.js").Transfers} Transfers */
/** @typedef {import("../api/uploads.js").UploadAnswer} UploadAnswer */
/** @typedef {import("../api/uploads.js").CapturedCall} CapturedCall */

/**
 * @param {Store} store
 * @param {Transfers} transfers
 */
export function mountCaptured(store, transfers) {
  const select = /** @type {HTMLSelectElement} */ (byId("captured-call"));
  /** @type {UploadAnswer | null} */
  let listed = null;
  select.addEventListener("change", () => open(Number(select.value)));
  byId("captured-previous").addEventListener("click", () => step(-1));
  byId("captured-next").addEventListener("click", () => step(1));

  /** @param {number} index */
  function open(index) {
    const shown = onShow(store);
    if (shown && shown.answer.calls[index]) transfers.openCall(shown.answer, index);
  }

  /** @param {number} by */
  function step(by) {
    const shown = onShow(store);
    if (shown) open(shown.index + by);
  }

  const render = () => {
    const shown = onShow(store);
    byId("captured").hidden = shown === null;
    if (!shown) return;
    const { answer, index } = shown;
    if (answer !== listed) select.replaceChildren(...answer.calls.map((call, place) => h("option", { value: place, text: callText(call) })));
    listed = answer;
    select.value = String(index);
    setAttributes(byId("captured-previous"), { "aria-disabled": String(index === 0) });
    setAttributes(byId("captured-next"), { "aria-disabled": String(index === answer.calls.length - 1) });
    const { num_heads: H, num_kv_heads: K, batch: B, function: name } = answer.calls[index];
    byId("captured-says").textContent = t("captured.says", { call: index + 1, calls: answer.calls.length, B, H, K, name, file: answer.name });
  };
  store.subscribe((state, previous) => {
    const changed = state.document !== previous.document || state.files.known !== previous.files.known;
    if (changed || state.view.language !== previous.view.language) render();
  });
  render();
}

/**
 * @param {Store} store
 * @returns {{answer: UploadAnswer, index: number} | null}
 */
function onShow(store) {
  const { document: content, files } = store.get();
  for (const { id } of content.uploads) {
    const answer = files.known[id];
    const index = answer ? callOnShow(content, id, answer.calls) : -1;
    if (answer && index >= 0) return { answer, index };
  }
  return null;
}

/** @param {CapturedCall} call */
function callText({ index, module, queries, keys }) {
  return `${index} · ${module || t("captured.noModule")} · ${queries} × ${keys}`;
}
