/** An input that stands aside, in a file or as it was written, in place of its grid. */

import { h } from "../dom.js";
import { isRandom, isReference, shapeIn } from "../state/references.js";
import { useGrid } from "../state/sequences.js";
import { t } from "../strings.js";
import { shapeText } from "./file_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Document} Document */

/**
 * @param {Store} store
 * @param {import("../state/grids.js").GridName} name
 * @returns {HTMLElement[]}
 */
export function referenceCard(store, name) {
  const { document: content } = store.get();
  const value = content.also[name];
  const file = isReference(value) ? content.uploads.find(({ id }) => id === value.upload)?.name : undefined;
  const shape = shapeIn(content, value);
  const written = isRandom(value) ? t("input.random", { name, seed: value.random.seed ?? 0 }) : t("input.replaced", { name });
  const title = file === undefined ? written : [file, ...(isReference(value) && value.name ? [value.name] : [])].join(" › ");
  return [
    h("p", {}, [h("strong", { text: title }), ...(shape.length ? [" ", h("code", { text: shapeText(shape) })] : [])]),
    ...(isRandom(value) && content.also.projection ? [h("p", { class: "module-warns says", text: t("files.random") })] : []),
    h("div", { class: "row" }, [
      ...(file === undefined ? [] : [h("button", { type: "button", class: "button", text: t("input.showFile"), title: t("input.file.tip"), on: { click: () => store.view({ source: "file" }) } })]),
      h("button", { type: "button", class: "button", text: t("input.useGrid"), title: t("input.useGrid.tip"), on: { click: () => store.edit((document) => useGrid(document, name)) } }),
    ]),
  ];
}
