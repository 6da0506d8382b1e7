/** A card a reading: what it means, who reads so, what changes, and the line to run. */

import { byId, h } from "../dom.js";
import { copy } from "../files.js";
import { pythonPieces } from "../highlight.js";
import { fromSpec } from "../state/from_spec.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { numberText } from "./stability_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/readings.js").Readings} Readings */
/** @typedef {import("../api/readings.js").Reading} Reading */

const COPIED_MS = 1600;

/**
 * @param {Store} store
 * @param {Readings} found
 */
export function showReadings(store, found) {
  const { activeElement } = document;
  const focused = activeElement instanceof HTMLElement ? activeElement.dataset.act : undefined;
  byId("readings-list").replaceChildren(...found.readings.map((reading) => card(store, reading, found)));
  if (focused) /** @type {HTMLElement | null} */ (document.querySelector(`[data-act="${CSS.escape(focused)}"]`))?.focus();
  const { setup } = found.readings[0];
  byId("readings-setup").replaceChildren(...code(setup.trimEnd()));
}

/**
 * @param {Store} store
 * @param {Reading} reading
 * @param {Readings} found
 */
function card(store, reading, found) {
  const { name, usedBy, line, whole, empty } = reading;
  const users = usedBy.map((user) => h("li", {}, [h("code", { text: user })]));
  return h("li", { class: `reading${name === found.shown ? " is-shown" : ""}`, data: { reading: name } }, [
    h("h4", { text: t(/** @type {import("../strings.js").Key} */ (`readings.${name}`)) }),
    h("p", { class: "reading-change", text: [changeText(reading), empty ? t("readings.empty", { rows: empty }) : ""].filter(Boolean).join(" ") }),
    h("p", { class: "says", text: t("readings.readBy") }),
    h("ul", { class: "reading-users" }, users),
    h("p", { class: "says", text: t("readings.line") }),
    h("pre", { class: "code reading-line", tabindex: 0, role: "region", "aria-label": t("readings.line") }, code(line)),
    ...(whole ? [] : [h("p", { class: "says", text: t("readings.part") })]),
    h("div", { class: "tool-actions" }, actions(store, reading, found)),
  ]);
}

/** @param {Reading} reading */
function changeText({ same, shown, hidden, largest }) {
  if (same) return t("readings.same");
  return t(shown || hidden ? "readings.apart" : "readings.alike", { shown, hidden, largest: numberText(largest) });
}

/**
 * A window that is set keeps its W: left to itself, that would be counted anew from what was set.
 * @param {Store} store
 * @param {Reading} reading
 * @param {Readings} found
 */
function actions(store, { name, setup, line, fields }, { shown, window }) {
  const title = t(/** @type {import("../strings.js").Key} */ (`readings.${name}`));
  /** @param {"show" | "copy" | "use"} act @param {(event: any) => void} click @param {Record<string, any>} [more] */
  const button = (act, click, more = {}) => h("button", { type: "button", class: "button", text: t(`readings.${act}`), title: t(`readings.${act}.tip`), "aria-label": `${t(`readings.${act}`)}: ${title}`, data: { act: `${act} ${name}` }, on: { click }, ...more });
  const use = () => {
    store.edit((content) => fromSpec({ ...toSpec(content), ...fields }));
    if (window !== null) store.tool("readings", { window: String(window) });
  };
  return [
    button("show", () => store.tool("readings", { show: name }), { "aria-pressed": String(name === shown) }),
    button("copy", (event) => copyLine(event.currentTarget, `${setup}${line}\n`)),
    fields ? button("use", use) : h("p", { class: "says", text: t("readings.tooLong") }),
  ];
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
async function copyLine(button, text) {
  button.textContent = t((await copy(text)) ? "readings.copied" : "readings.cannotCopy");
  setTimeout(() => (button.textContent = t("readings.copy")), COPIED_MS);
}

/** @param {string} text */
function code(text) {
  return pythonPieces(text).map(({ kind, text: piece }) => (kind === "plain" ? document.createTextNode(piece) : h("span", { class: `is-${kind}`, text: piece })));
}
