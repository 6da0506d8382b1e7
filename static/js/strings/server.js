/** Sentences that come from the server, in the language on show. What is not known whole stays whole, in English. */

import { currentLanguage, t } from "../strings.js";
import { EXAMPLES_ZH } from "./examples_zh.js";
import { CHINESE } from "./zh.js";
import { EXPECTATIONS, GIVEN, RULES, SENTENCES } from "./server_zh.js";

/** @typedef {import("../state/types.js").Example} Example */
/** @typedef {import("./server_zh.js").Patterns} Patterns */

/** "x[0]: rule: expected this, got that": every part but the rule may be missing, and a file has its own places. */
const ERROR = /^((?:[\w.[\]-]+(?:, [\w.[\]]+)?: )*)(.+?)(?:: expected (.+?))?(?:[:,] got (.+?))?( \(and \d+ more\))?$/s;

/**
 * @param {string} text
 * @returns {string}
 */
export function serverText(text) {
  return currentLanguage() === "zh" ? inChinese(text) : text;
}

/**
 * A whole problem as one text; one without words is a server that did not answer.
 * @param {import("../state/types.js").Problem} problem
 */
export function problemText({ detail, title }) {
  return detail || title ? serverText(detail || title) : t("problem.unreachable");
}

/**
 * @param {Example} example
 * @returns {{title: string, description: string}}
 */
export function exampleText({ name, title, description }) {
  const known = currentLanguage() === "zh" ? EXAMPLES_ZH[name] : undefined;
  return known ?? { title, description };
}

/** Each tensor of a list: how many of its values, and where the first stands. */
const PLACES = /(\w+) \((\d+) values, first at (\[[\d, ]*\])\)/g;

/** @param {string} name */
function tensorInChinese(name) {
  return CHINESE[/** @type {"stage.heads"} */ (`stage.${name}`)] ?? name;
}

/** Where one mask's description ends and the next begins. */
const NEXT_MASK = / and (?=(?:causal|padding|window|prefix|documents|matrix)\b)/;

/**
 * A stage's formula in words: the masks, each by its description, or the formula itself.
 * @param {string} formula
 */
export function formulaText(formula) {
  return formula.split(NEXT_MASK).map(serverText).join(currentLanguage() === "zh" ? "；" : " and ");
}

/**
 * The words within a formula that is set as TeX.
 * @param {string} tex
 */
export function formulaWords(tex) {
  if (currentLanguage() !== "zh") return tex;
  return tex.replace("\\text{ where allowed,}", "\\text{（可见处），}").replace("\\text{ else }", "\\text{否则 }");
}

/**
 * @param {string} text
 * @returns {string}
 */
export function inChinese(text) {
  return said(SENTENCES, text)?.replace(PLACES, (_, name, count, first) => `${tensorInChinese(name)}（${count} 个值，首个在 ${first}）`) ?? error(text) ?? text;
}

/**
 * @param {string} text
 * @returns {string | null} null unless every part of it is known
 */
function error(text) {
  const [, place, rule = "", expected, got, more] = text.match(ERROR) ?? [];
  const whole = said(RULES, rule);
  const wanted = expected === undefined ? "" : (said(EXPECTATIONS, expected) ?? named(expected));
  const given = got === undefined ? "" : (said(GIVEN, got) ?? named(got));
  if (whole === null || wanted === null || given === null) return null;
  const rest = [wanted && `期望 ${wanted}`, given && `实际 ${given}`].filter(Boolean).join("，");
  return `${place.replaceAll(": ", "：")}${whole}${rest && `：${rest}`}${more ? `（另有 ${more.match(/\d+/)?.[0]} 处）` : ""}`;
}

/**
 * Names, numbers and what was typed need no translation; words in a row do.
 * @param {string} text
 */
function named(text) {
  if (/^(["']).*\1$/s.test(text)) return text;
  return /[a-z]{2,} [a-z]{2,}/i.test(text) ? null : text;
}

/**
 * @param {Patterns} patterns
 * @param {string} text
 * @returns {string | null}
 */
function said(patterns, text) {
  for (const [pattern, translation] of patterns) {
    const found = text.match(pattern);
    if (found) return translation.replace(/\$(\d)/g, (_, group) => found[Number(group)] ?? "");
  }
  return null;
}
