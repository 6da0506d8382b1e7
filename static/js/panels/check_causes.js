/** What explains own numbers: each mistake that gives them, what it leaves, and a way to try it. */

import { byId, h } from "../dom.js";
import { brief } from "../numbers.js";
import { compactJson } from "../state/comparison.js";
import { fromSpec } from "../state/from_spec.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { mistakeText, mistakeTitle } from "../strings/mistakes.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/check.js").Check} Check */
/** @typedef {import("../api/check.js").Cause} Cause */

/** Fields longer than this are named but not written out. */
const MOST_CHARACTERS = 2000;
/** Fields this short are in sight at once. */
const MOST_OPEN = 160;

/**
 * @param {Store} store
 * @param {Check} found
 */
export function showCauses(store, { passed, causes, tried, mistakes }) {
  byId("check-causes").hidden = passed;
  byId("check-causes-title").textContent = t(causes.length ? "check.causes" : "check.noCause");
  byId("check-causes-says").textContent = says(causes, tried, mistakes);
  byId("check-causes-list").replaceChildren(...causes.map((cause) => causeItem(store, cause)));
}

/**
 * @param {Cause[]} causes
 * @param {number} tried
 * @param {string[]} mistakes
 */
function says(causes, tried, mistakes) {
  if (causes.length === 0) return t("check.noCause.says", { tried, names: mistakes.map(mistakeTitle).join(t("list.comma")) });
  return t(causes[0].mistake.includes("+") ? "check.pairs.says" : "check.causes.says");
}

/**
 * @param {Store} store
 * @param {Cause} cause
 */
function causeItem(store, cause) {
  const { mistake, max, fields } = cause;
  const names = mistake.split("+");
  const sayable = Object.keys(fields).length > 0;
  const title = h("h4", {}, [names.map(mistakeTitle).join(" + "), " ", h("code", { class: "quiet", text: mistake })]);
  const act = () => store.edit((content) => fromSpec({ ...toSpec(content), ...fields }));
  const text = fieldsText(fields);
  const change = sayable
    ? [
        h("details", { open: text.length <= MOST_OPEN }, [h("summary", { text: t("check.changes") }), h("pre", { class: "code", tabindex: 0 }, [h("code", { text })])]),
        h("button", { type: "button", class: "button", text: t("check.try"), title: t("check.try.tip"), "aria-label": `${t("check.try")}: ${names.map(mistakeTitle).join(" + ")}`, on: { click: act } }),
      ]
    : [h("p", { class: "says", text: t("check.unsayable") })];
  return h("li", { data: { mistake } }, [title, h("p", { text: mistakeText(cause) }), h("p", { class: "says", text: t("check.remains", { value: brief(max) }) }), ...change]);
}

/** @param {Record<string, any>} fields */
function fieldsText(fields) {
  return Object.entries(fields)
    .map(([name, value]) => {
      const text = compactJson({ [name]: value });
      return text.length > MOST_CHARACTERS ? t("check.tooLong", { name }) : text.slice(2, -2).replace(/^ {2}/gm, "");
    })
    .join("\n");
}
