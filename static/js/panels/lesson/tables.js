/** Tables and sentences that the lesson's numbers stand in; every number is whole on the hover. */

import { h } from "../../dom.js";
import { brief, exact } from "../../numbers.js";

/**
 * @typedef {string | number | Node} Content a number is shortened, and whole in its title
 */

/**
 * @param {string} name of the table, for those who do not see it
 * @param {Content[]} columns
 * @param {Content[][]} rows the first of each is its heading
 * @param {string} [kind] a class of its own
 */
export function table(name, columns, rows, kind = "") {
  const body = rows.map(([head, ...cells]) => h("tr", {}, [h("th", { scope: "row" }, [plain(head)]), ...cells.map(cell)]));
  const head = h("tr", {}, columns.map((column) => h("th", { scope: "col" }, [plain(column)])));
  return h("div", { class: "table-frame", tabindex: 0, role: "region", "aria-label": name }, [
    h("table", { class: `numbers-table lesson-table ${kind}`.trim() }, [h("thead", {}, [head]), h("tbody", {}, body)]),
  ]);
}

/** @param {Content} content */
function cell(content) {
  if (typeof content !== "number") return h("td", {}, [content]);
  return h("td", { text: shortened(content), title: exact(content, false), data: { value: String(content) } });
}

/** @param {Content} content */
function plain(content) {
  return typeof content === "number" ? shortened(content) : content;
}

/** @param {number} value */
export function shortened(value) {
  return Number.isFinite(value) ? brief(value).replace("e-", "e−") : exact(value, false);
}

/**
 * @param {string} text
 * @param {Record<string, string | number>} [data] what the sentence says, for those who read it by program
 */
export function verdict(text, data = {}) {
  return h("p", { class: "tool-verdict", text, data });
}

/** @param {string} text */
export function note(text) {
  return h("p", { class: "says", text });
}

/** @param {string} text */
export function code(text) {
  return h("code", { text });
}

/**
 * A list of numbers as one text, each shortened.
 * @param {Iterable<number>} values
 */
export function listText(values) {
  return `[${Array.from(values, shortened).join(", ")}]`;
}
