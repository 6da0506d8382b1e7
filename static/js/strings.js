/** Every word on the page, by key. A second language is a second table. */

import { ENGLISH } from "./strings/en.js";

/** @typedef {keyof typeof ENGLISH} Key */

/** @type {Record<string, Partial<Record<Key, string>>>} */
const TABLES = { en: ENGLISH };

let language = "en";

/** @param {string} code */
export function setLanguage(code) {
  language = code in TABLES ? code : "en";
  document.documentElement.lang = language;
}

/**
 * @param {Key} key
 * @param {Record<string, string | number>} [values] for the {names} in the text
 */
export function t(key, values = {}) {
  const text = TABLES[language][key] ?? ENGLISH[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));
}

const ATTRIBUTES = /** @type {const} */ ({
  i18nLabel: "aria-label",
  i18nTitle: "title",
  i18nPlaceholder: "placeholder",
});

/**
 * Fill every element that names its text.
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-i18n]"))) {
    element.textContent = t(/** @type {Key} */ (element.dataset.i18n));
  }
  for (const [data, attribute] of Object.entries(ATTRIBUTES)) {
    const name = data.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    for (const element of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(`[data-${name}]`))) {
      element.setAttribute(attribute, t(/** @type {Key} */ (element.dataset[data])));
    }
  }
}
