/** Classic mistakes in the language on show. */

import { currentLanguage } from "../strings.js";
import { DETAILS, MISTAKES_ZH } from "./mistakes_zh.js";

/** @param {string} name */
export function mistakeTitle(name) {
  return (currentLanguage() === "zh" && MISTAKES_ZH[name]?.title) || name.replaceAll("_", " ");
}

/**
 * What to tell who made it; what is not known whole stays whole, in English.
 * @param {{mistake: string, explanation: string, details: string[]}} cause
 */
export function mistakeText({ mistake, explanation, details }) {
  const names = mistake.split("+");
  if (currentLanguage() !== "zh" || !names.every((name) => MISTAKES_ZH[name])) return explanation;
  return names.map((name, index) => `${MISTAKES_ZH[name].explanation}${detailText(details[index] ?? "")}`).join("");
}

/** @param {string} detail the way in which a mistake was made */
function detailText(detail) {
  if (detail === "") return "";
  return `这里：${DETAILS.reduce((text, [pattern, words]) => text.replace(pattern, words), detail)}。`;
}
