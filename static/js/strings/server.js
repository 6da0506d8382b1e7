/** Sentences that come from the server, in the language on show. What has no translation stays whole, in English. */

import { currentLanguage } from "../strings.js";
import { EXAMPLES_ZH } from "./examples_zh.js";
import { SERVER_ZH } from "./server_zh.js";

/** @typedef {import("../state/types.js").Example} Example */

/**
 * @param {string} text
 * @returns {string}
 */
export function serverText(text) {
  return currentLanguage() === "zh" ? inChinese(text) : text;
}

/**
 * The server's numbers and names stand where they stood.
 * @param {string} text
 * @returns {string}
 */
export function inChinese(text) {
  for (const [pattern, translation] of SERVER_ZH) {
    const found = text.match(pattern);
    if (found) return translation.replace(/\$(\d)/g, (_, group) => inner(found[Number(group)] ?? ""));
  }
  return text;
}

/**
 * What stands inside a sentence: translated where it is known, kept as it is where not.
 * @param {string} part
 * @returns {string}
 */
function inner(part) {
  return /[a-z]{3}/i.test(part) ? inChinese(part) : part;
}

/**
 * @param {Example} example
 * @returns {{title: string, description: string}}
 */
export function exampleText({ name, title, description }) {
  const known = currentLanguage() === "zh" ? EXAMPLES_ZH[name] : undefined;
  return known ?? { title, description };
}
