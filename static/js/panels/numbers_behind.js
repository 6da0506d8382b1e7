/** Behind the pictures their numbers, as tables: for reading, copying and screen readers. */

import { byId, h } from "../dom.js";
import { exact } from "../numbers.js";
import { DRAWN, shownIn } from "../plot.js";
import { t } from "../strings.js";

/** @typedef {import("../plot.js").PictureNumbers} PictureNumbers */

export const MOST = 64;

/** Every fold that names figures in `data-behind` tells their numbers while it is open. */
export function mountNumbersBehind() {
  for (const details of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("details[data-behind]"))) mount(details);
}

/** @param {HTMLDetailsElement} details */
function mount(details) {
  const figures = (details.dataset.behind ?? "").split(" ").map(byId);
  const body = /** @type {HTMLElement} */ (details.querySelector(".table-frame"));
  let frame = 0;
  const render = () => {
    if (details.open) body.replaceChildren(...figures.filter((figure) => figure.checkVisibility()).flatMap(tableOf));
  };
  const renderSoon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(render);
  };
  details.addEventListener("toggle", render);
  for (const figure of figures) figure.addEventListener(DRAWN, renderSoon);
}

/**
 * Named as its picture is.
 * @param {HTMLElement} figure
 */
function tableOf(figure) {
  const numbers = shownIn(figure)?.numbers;
  const heading = figure.closest(".matrix, .has-heading")?.querySelector("h3, h4");
  return numbers ? [h("div", {}, [...note(numbers), table(numbers, heading?.textContent ?? "")])] : [];
}

/** @param {PictureNumbers} numbers */
function note({ values }) {
  const [rows, columns] = [values.length, values[0].length];
  return rows <= MOST && columns <= MOST ? [] : [h("p", { class: "says", text: t("table.large", { size: MOST, rows, columns }) })];
}

/**
 * @param {PictureNumbers} numbers
 * @param {string} name
 * @param {boolean} single whether they are float32
 */
export function table({ values, rows, columns }, name, single = values[0] instanceof Float32Array) {
  const heads = columns.slice(0, MOST).map((name) => h("th", { scope: "col", text: name }));
  const lines = values.slice(0, MOST).map((row, index) =>
    h("tr", {}, [
      h("th", { scope: "row", text: rows[index] }),
      ...Array.from(row).slice(0, MOST).map((value) => h("td", { text: exact(value, single) })),
    ]),
  );
  return h("table", { class: "numbers-table" }, [h("caption", { text: name }), h("thead", {}, [h("tr", {}, [h("td"), ...heads])]), h("tbody", {}, lines)]);
}
