/** The parts around a grid's cells: buttons that grow it, pages of a large one, rows of filling. */

import { h } from "../dom.js";
import { t } from "../strings.js";

/**
 * @param {"grid.addRow" | "grid.addColumn"} key
 * @param {() => void} act
 */
export function adder(key, act) {
  return h("button", { type: "button", class: "add", on: { click: act } }, ["+ ", h("span", { text: t(key), data: { i18n: key } })]);
}

/**
 * @param {"grid.columns" | "grid.rows"} key
 * @param {number} start
 * @param {number} size
 * @param {number} total
 * @param {(start: number) => void} turn
 */
export function pagerOf(key, start, size, total, turn) {
  const last = Math.min(total, start + size);
  return h("div", { class: "pager" }, [
    h("button", { type: "button", class: "tool", text: "‹", "aria-label": t("grid.previous"), disabled: start === 0, on: { click: () => turn(start - size) } }),
    h("span", { text: t(key, { first: start, last: last - 1, total }) }),
    h("button", { type: "button", class: "tool", text: "›", "aria-label": t("grid.next"), disabled: last === total, on: { click: () => turn(start + size) } }),
  ]);
}

/**
 * @param {number[]} columns
 * @param {string} label
 */
export function fillingRow(columns, label) {
  return h("tr", { class: "is-filling", title: t("grid.padding") }, [
    h("th", { scope: "row", text: label || t("grid.padding") }),
    ...columns.map(() => h("td", { text: "0" })),
  ]);
}
