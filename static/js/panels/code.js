/** The run as a script in four styles: to read, to copy and to take away. */

import { ProblemError, fetchScript } from "../api/client.js";
import { byId, h } from "../dom.js";
import { copy, download } from "../files.js";
import { pythonPieces } from "../highlight.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";
import { mountTabRequest } from "./tab_request.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Tools["code"]["style"]} Style */
/** @typedef {{style: string, script: string, refusals: Record<string, string[]> | null}} Shown */

const COPIED_MS = 1600;
/** Texts of more lines are folded: they are numbers in base64. */
const MOST_LINES = 6;

/** @param {Store} store */
export function mountCode(store) {
  /** @type {Shown | null} */
  let shown = null;
  const choices = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("[name='code-style']")]);
  for (const choice of choices) choice.addEventListener("change", () => store.tool("code", { style: /** @type {Style} */ (choice.value) }));
  byId("code-copy").addEventListener("click", async () => shown && sayDone(await copy(shown.script)));
  byId("code-download").addEventListener("click", () => shown && save(shown));

  const render = () => {
    const { style } = store.get().tools.code;
    for (const choice of choices) {
      choice.checked = choice.value === style;
      const refused = (shown?.refusals?.[choice.value] ?? []).length > 0;
      choice.closest("label")?.classList.toggle("is-refused", refused);
    }
    byId("code-says").textContent = t(`code.${style}.says`);
  };
  mountTabRequest(store, {
    tab: "code",
    of: ({ document: content, tools }) => [content, tools.code.style],
    ask: async ({ document: content, tools }, signal) => ask(toSpec(content), tools.code.style, signal),
    show: (answer) => {
      shown = answer;
      showScript(answer);
      render();
    },
  });
  store.subscribe((state, previous) => {
    if (state.tools.code !== previous.tools.code || state.view.language !== previous.view.language) render();
    if (shown && state.view.language !== previous.view.language) showScript(shown);
  });
  render();
}

/**
 * A refusal of the style is an answer too: why it cannot say this run.
 * @param {import("../state/types.js").Specification} spec
 * @param {string} style
 * @param {AbortSignal} signal
 * @returns {Promise<Shown>}
 */
async function ask(spec, style, signal) {
  try {
    return await fetchScript({ spec, style }, signal);
  } catch (error) {
    const refused = error instanceof ProblemError && error.problem.errors.some(({ loc }) => loc[loc.length - 1] === "style");
    if (!refused) throw error;
    const { refusals } = await fetchScript({ spec, style: "explicit" }, signal);
    return { style, script: "", refusals };
  }
}

/** @param {Shown} shown */
function showScript({ style, script, refusals }) {
  const reasons = refusals?.[style] ?? [];
  const block = byId("code-script");
  for (const id of ["code-copy", "code-download"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = script === "";
  block.classList.toggle("is-refusal", script === "");
  block.replaceChildren(...(script ? pythonPieces(script).map(piece) : refusal(reasons)));
  block.scrollTop = 0;
}

/** @param {import("../highlight.js").Piece} piece */
function piece({ kind, text }) {
  const lines = text.split("\n").length;
  if (kind === "text" && lines > MOST_LINES) {
    return h("details", { class: "script-folded" }, [h("summary", { text: t("code.folded", { lines }) }), h("span", { class: "is-text", text })]);
  }
  return kind === "plain" ? document.createTextNode(text) : h("span", { class: `is-${kind}`, text });
}

/** @param {string[]} reasons */
function refusal(reasons) {
  return [h("p", { text: t("code.refused") }), h("ul", {}, reasons.map((reason) => h("li", { text: serverText(reason) })))];
}

/** @param {Shown} shown */
function save({ style, script }) {
  download(new Blob([script], { type: "text/x-python" }), `attention_${style}.py`);
}

/** @param {boolean} copied */
function sayDone(copied) {
  const button = byId("code-copy");
  button.textContent = t(copied ? "code.copied" : "code.cannotCopy");
  setTimeout(() => (button.textContent = t("code.copy")), COPIED_MS);
}
