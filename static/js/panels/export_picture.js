/** The picture part of the export: what it will look like, and writing it. */

import { byId, h } from "../dom.js";
import { download } from "../files.js";
import { paletteFor } from "../figures/palette.js";
import { paperFigure, paperRoom } from "../figures/paper.js";
import { pngOf, sizesOf, svgOf } from "../image.js";
import { shownIn } from "../plot.js";
import { t } from "../strings.js";
import { isDark } from "../theme.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../plot.js").Figure} Figure */

const FIELDS = ["picture", "heading", "width", "unit", "font", "dpi", "family", "background"];
const PREVIEW_AFTER_MS = 120;
const CLEAR = "rgba(0,0,0,0)";

/**
 * @param {Store} store
 * @param {(text: string) => void} say
 * @returns {() => void} call it when something on show changed
 */
export function mountExportPicture(store, say) {
  let timer = 0;
  /** The title that was offered; one that was typed instead stays. */
  let offered = "";
  const preview = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => showPreview(store).catch((error) => say(t("export.failed", { reason: error.message }))), PREVIEW_AFTER_MS);
  };
  const offerTitle = () => {
    const heading = field("heading");
    const title = chosen()?.title ?? "";
    if (heading.value === offered) heading.value = title;
    offered = title;
  };
  for (const name of FIELDS) byId(`export-${name}`).addEventListener("input", preview);
  field("picture").addEventListener("input", offerTitle);
  field("unit").addEventListener("input", () => convertWidth());
  for (const format of /** @type {const} */ (["svg", "png"])) {
    byId(`export-${format}`).addEventListener("click", () => write(store, format, say).catch((error) => say(t("export.failed", { reason: error.message }))));
  }
  return () => {
    showChoices();
    offerTitle();
    preview();
  };
}

/**
 * @param {string} name
 * @returns {HTMLInputElement | HTMLSelectElement}
 */
function field(name) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (byId(`export-${name}`));
}

/** Every picture on the page that can be painted again. */
function showChoices() {
  const select = field("picture");
  const chosenId = select.value || "weights-figure";
  const found = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".figure[id]")]).filter((figure) => figure.offsetParent && shownIn(figure)?.repaint);
  select.replaceChildren(...found.map((figure) => h("option", { value: figure.id, text: shownIn(figure)?.title ?? figure.id })));
  select.value = found.some(({ id }) => id === chosenId) ? chosenId : (found[0]?.id ?? "");
}

/** @returns {Figure | undefined} */
function chosen() {
  const figure = document.getElementById(field("picture").value);
  return figure ? shownIn(figure) : undefined;
}

/** The same width in the other unit. */
function convertWidth() {
  const inMm = field("unit").value === "mm";
  const width = Number(field("width").value);
  field("width").value = String(Math.round(inMm ? (width * 25.4) / 96 : (width * 96) / 25.4));
}

/** @returns {import("../image.js").Form} */
function form() {
  return {
    width: Math.max(20, Number(field("width").value) || 140),
    unit: field("unit").value === "px" ? "px" : "mm",
    fontSize: Math.min(40, Math.max(4, Number(field("font").value) || 9)),
    dpi: Number(field("dpi").value),
  };
}

/** @param {Store} store */
function drawing(store) {
  const shown = chosen();
  if (!shown?.repaint) return null;
  const background = field("background").value;
  const { view } = store.get();
  const palette = paletteFor(background === "page" && isDark(view.theme), view.palette);
  const bar = shown.bar ?? "";
  const width = sizesOf(form()).layout - paperRoom(/** @type {any} */ (shown), bar);
  return paperFigure(/** @type {any} */ (shown.repaint(palette, width)), {
    title: field("heading").value.trim(),
    bar,
    marks: ["", t("legend.masked"), t("legend.minusInfinity"), t("legend.plusInfinity"), t("legend.nan"), t("export.below"), t("export.above")],
    family: field("family").value,
    palette,
    background: background === "clear" ? CLEAR : palette.paper,
  });
}

/** @param {Store} store */
async function showPreview(store) {
  const paper = drawing(store);
  if (!paper) return;
  const preview = /** @type {HTMLImageElement} */ (byId("export-preview"));
  preview.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await svgOf(paper, form()))}`;
  preview.alt = t("export.preview", { title: chosen()?.title ?? "" });
}

/**
 * @param {Store} store
 * @param {"svg" | "png"} format
 * @param {(text: string) => void} say
 */
async function write(store, format, say) {
  const paper = drawing(store);
  if (!paper) return;
  const blob = format === "png" ? await pngOf(paper, form()) : new Blob([await svgOf(paper, form())], { type: "image/svg+xml" });
  const file = `${fileName(field("heading").value.trim() || (chosen()?.title ?? ""))}.${format}`;
  download(blob, file);
  say(t("export.saved", { file }));
}

/** @param {string} title */
function fileName(title) {
  return title.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "attention";
}
