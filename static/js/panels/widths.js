/** Widths of the frames, told by the browser when they change: asking while drawing would lay the page out again. */

import { byId } from "../dom.js";

/** @type {Map<string, number>} */
const widths = new Map();
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) if (target.clientWidth > 0) widths.set(target.id, target.clientWidth);
});

/** @param {string} id of a frame that is never hidden */
export function widthOf(id) {
  const known = widths.get(id);
  if (known !== undefined) return known;
  const element = byId(id);
  widths.set(id, element.clientWidth);
  observer.observe(element);
  return element.clientWidth;
}
