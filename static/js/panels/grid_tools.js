/** What can be done to the token and the dimension that one stands in: move them, take them away. */

import { h } from "../dom.js";
import { t } from "../strings.js";

/**
 * @typedef {object} Current the cell last stood in, and how many there are
 * @property {number} row
 * @property {number} column
 * @property {number} rows
 * @property {number} columns
 */

/**
 * The buttons stay as they are while the grid changes, so that one can be pressed again and again.
 * @param {import("./token_grid.js").GridActions} actions
 * @param {(row: number, column: number) => void} follow told where the moved token or dimension went
 */
export function createGridTools(actions, follow) {
  /** @type {Current} */
  let now = { row: 0, column: 0, rows: 1, columns: 1 };
  const row = (/** @type {number} */ by) => () => {
    const to = now.row + by;
    actions.moveRow(now.row, to);
    follow(to, now.column);
  };
  const column = (/** @type {number} */ by) => () => {
    const to = now.column + by;
    actions.moveColumn(now.column, to);
    follow(now.row, to);
  };
  const groups = [
    group("grid.thisToken", () => ({ n: now.row }), [
      button("↑", "grid.up", row(-1), () => now.row === 0),
      button("↓", "grid.down", row(1), () => now.row === now.rows - 1),
      button("×", "grid.remove", () => actions.removeRow(now.row), () => now.rows === 1),
    ]),
    group("grid.thisDimension", () => ({ n: now.column }), [
      button("←", "grid.columnLeft", column(-1), () => now.column === 0),
      button("→", "grid.columnRight", column(1), () => now.column === now.columns - 1),
      button("×", "grid.removeColumn", () => actions.removeColumn(now.column), () => now.columns === 1),
    ]),
  ];
  return {
    root: h("div", { class: "grid-tools" }, groups.map(({ root }) => root)),
    /** @param {Current} next */
    update(next) {
      now = next;
      for (const { show } of groups) show();
    },
  };
}

/**
 * @param {"grid.thisToken" | "grid.thisDimension"} key
 * @param {() => {n: number}} place
 * @param {ReturnType<typeof button>[]} buttons
 */
function group(key, place, buttons) {
  const name = h("span", { class: "grid-tools-name" });
  const root = h("div", { class: "grid-tools-group", role: "group" }, [name, ...buttons.map(({ element }) => element)]);
  return {
    root,
    show() {
      name.textContent = t(key, place());
      root.setAttribute("aria-label", t(key, place()));
      for (const { show } of buttons) show(place());
    },
  };
}

/**
 * Not `disabled` where it cannot act: a button that disables itself under one's finger loses the focus.
 * @param {string} sign
 * @param {"grid.up" | "grid.down" | "grid.remove" | "grid.columnLeft" | "grid.columnRight" | "grid.removeColumn"} key
 * @param {() => void} act
 * @param {() => boolean} idle
 */
function button(sign, key, act, idle) {
  const element = h("button", { type: "button", class: "tool", text: sign, on: { click: () => idle() || act() } });
  return {
    element,
    /** @param {{n: number}} place */
    show(place) {
      element.title = t(key, place);
      element.setAttribute("aria-label", element.title);
      element.setAttribute("aria-disabled", String(idle()));
    },
  };
}
