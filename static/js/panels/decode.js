/** Decoding over a growing cache: the question, the fields, and what is shown of the step that was reached. */

import { fetchDecoding } from "../api/client.js";
import { byId } from "../dom.js";
import { cellValue } from "../numbers.js";
import { dimensions } from "../state/dimensions.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { onSystemTheme } from "../theme.js";
import { wholeText } from "../units.js";
import { mountDecodeCursor } from "./decode_cursor.js";
import { drawFrame } from "./decode_pictures.js";
import { mountPlayer } from "./decode_player.js";
import { showFrame } from "./decode_says.js";
import { TabRefusal, mountTabRequest } from "./tab_request.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("../api/decoding.js").Decoding} Decoding */

const DRAWN = /** @type {const} */ (["batch", "head", "showMasked", "theme", "palette", "weightScale", "language"]);
/** Every step sends its rows: beyond so many cells a page is not the place. */
const MOST_CELLS = 2 ** 21;

/** @param {Store} store */
export function mountDecode(store) {
  /** @type {Decoding | null} */
  let decoding = null;
  mountFields(store);
  const player = mountPlayer(store, () => decoding);
  const cursor = mountDecodeCursor(store, () => decoding);

  const render = async () => {
    if (!decoding || byId("panel-decode").hidden) return;
    player.render();
    showFrame(store, decoding);
    await drawFrame(store, decoding);
    cursor.render();
  };
  mountTabRequest(store, {
    tab: "decode",
    of: ({ document: content, tools: { decode } }) => [content, decode.prefill, decode.chunk],
    ask,
    show: (answer) => {
      decoding = answer;
      return render();
    },
  });
  store.subscribe((state, previous) => {
    const shown = DRAWN.some((name) => state.view[name] !== previous.view[name]) || state.answer !== previous.answer;
    if (shown || state.tools.decode !== previous.tools.decode) render();
    else if (state.cursor !== previous.cursor || state.pinned !== previous.pinned) cursor.render();
    if (state.document !== previous.document) showCausal(store);
  });
  showCausal(store);
  onSystemTheme(render);
  new ResizeObserver(render).observe(byId("decode-frame-triangle"));
}

/**
 * @param {AppState} state
 * @param {AbortSignal} signal
 */
async function ask({ document: content, tools: { decode } }, signal) {
  const { B, H, T, S } = dimensions(content);
  const cells = B * H * T * S;
  if (cells > MOST_CELLS) throw new TabRefusal(t("decode.tooMany", { cells: wholeText(cells), most: wholeText(MOST_CELLS) }));
  return fetchDecoding({ spec: toSpec(content), prefill: cellValue(decode.prefill), chunk: cellValue(decode.chunk) }, signal);
}

/** @param {Store} store */
function mountFields(store) {
  const fields = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("[data-decode]")]);
  const wrong = /** @type {HTMLInputElement} */ (byId("decode-top-left"));
  for (const field of fields) field.addEventListener("input", () => store.tool("decode", { [String(field.dataset.decode)]: field.value, frame: 0 }));
  wrong.addEventListener("change", () => store.tool("decode", { top_left: wrong.checked }));
  byId("decode-switch").addEventListener("click", () => {
    store.edit((content) => ({ ...content, masks: { ...content.masks, causal: { ...content.masks.causal, on: true, alignment: "default" } } }));
  });
  const render = () => {
    const { decode } = store.get().tools;
    wrong.checked = decode.top_left;
    for (const field of fields) {
      const value = decode[/** @type {"prefill"} */ (field.dataset.decode)];
      if (field.value !== value) field.value = value;
    }
  };
  store.subscribe((state, previous) => state.tools.decode !== previous.tools.decode && render());
  render();
}

/**
 * Decoding is causal by itself; the run above may not be.
 * @param {Store} store
 */
function showCausal(store) {
  const { masks, also, input } = store.get().document;
  byId("decode-causal").hidden = masks.causal.on || input.cross || Boolean(also.masks);
}
