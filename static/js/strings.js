/** Every word on the page, by key: a table a language. */

import { ENGLISH } from "./strings/en.js";
import { CHINESE } from "./strings/zh.js";

/** @typedef {keyof typeof ENGLISH} Key */
/** @typedef {"en" | "zh"} Language */

/** @type {Record<Language, Partial<Record<Key, string>>>} */
const TABLES = { en: ENGLISH, zh: CHINESE };
const TAGS = { en: "en", zh: "zh-Hans" };

/** @type {Language} */
let language = "en";

/** The language on show. */
export function currentLanguage() {
  return language;
}

/**
 * @param {string} choice "" follows the browser
 * @param {readonly string[]} [preferred] the browser's languages, best first
 */
export function setLanguage(choice, preferred = navigator.languages) {
  language = choice in TABLES ? /** @type {Language} */ (choice) : firstKnown(preferred);
  document.documentElement.lang = TAGS[language];
  document.title = t("page.name");
}

/**
 * @param {readonly string[]} preferred
 * @returns {Language}
 */
export function firstKnown(preferred) {
  const codes = preferred.map((tag) => tag.toLowerCase().split("-")[0]);
  return /** @type {Language} */ (codes.find((code) => code in TABLES) ?? "en");
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
