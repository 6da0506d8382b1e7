/** The stages in order, each with its formula and its live shape. */

import { byId, h } from "../dom.js";

/** Axis letters as the architecture names them; the full name stands in the title. */
const LETTERS = /** @type {Record<string, string>} */ ({
  batch: "B",
  "query head": "H",
  "kv head": "K",
  query: "T",
  key: "S",
  dim: "D",
  "value dim": "Dv",
  "model dim": "E",
});

/** @param {import("../store.js").Store} store */
export function mountSteps(store) {
  store.subscribe((state, previous) => {
    if (state.answer && state.answer !== previous.answer) byId("steps").replaceChildren(...state.answer.steps.map(stepItem));
  });
}

/** @param {import("../api/answer.js").Step} step */
function stepItem({ name, formula, axes, shape }) {
  const sizes = shape.map((size, axis) =>
    h("span", { class: "axis", title: axes[axis] }, [h("span", { class: "axis-letter", text: LETTERS[axes[axis]] ?? axes[axis] }), `${size}`]),
  );
  return h("li", { class: "step" }, [
    h("span", { class: "step-name", text: name.replaceAll("_", " ") }),
    h("span", { class: "step-formula", text: formula, title: formula }),
    h("span", { class: "step-shape" }, sizes),
  ]);
}
