/** The pictures of the step that was reached: the triangle so far, and the newest rows one by one. */

import { byId } from "../dom.js";
import { STRIPS, stripPicture, trianglePicture } from "../figures/decode.js";
import { matrixFigure } from "../figures/matrix.js";
import { draw } from "../plot.js";
import { brief } from "../numbers.js";
import { t } from "../strings.js";
import { frameAt } from "./decode_player.js";
import { tokenLabels } from "./decode_says.js";
import { lookOf } from "./look.js";
import { stageName } from "./names.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../api/decoding.js").Decoding} Decoding */
/** @typedef {import("../figures/decode.js").Strip} Strip */

const MOST_TALL_PX = 400;
const STRIP_TALL_PX = 160;

/**
 * @param {Store} store
 * @param {Decoding} decoding
 */
export async function drawFrame(store, decoding) {
  await Promise.all([drawTriangle(store, decoding), ...STRIPS.map((strip) => drawStrip(store, decoding, strip))]);
}

/**
 * One sequence and head that this decoding has, though the page may be ahead of it.
 * @param {Store} store
 * @param {Decoding} decoding
 */
function placeIn(store, { frames }) {
  const { batch, head } = store.get().view;
  const [B, H] = frames[0].q.shape;
  return { batch: Math.min(batch, B - 1), head: Math.min(head, H - 1) };
}

/**
 * @param {Store} store
 * @param {Decoding} decoding
 */
async function drawTriangle(store, decoding) {
  const look = lookOf(store.get().view);
  const place = placeIn(store, decoding);
  const picture = trianglePicture(decoding, frameAt(store, decoding), place, look);
  const rows = tokenLabels(store, "queries", decoding.queries);
  const columns = tokenLabels(store, "keys", decoding.keys);
  const frame = byId("decode-frame-triangle");
  byId("decode-triangle-title").textContent = t("decode.triangle", { head: place.head });
  frame.setAttribute("aria-label", t("decode.triangleFigure", { rows: rows.length, columns: columns.length }));
  const titles = { row: t("selected.query"), column: t("selected.key") };
  await draw(byId("decode-triangle"), matrixFigure({ picture, rows, columns, titles, palette: look.palette, width: frame.clientWidth, tallest: MOST_TALL_PX }));
}

/**
 * @param {Store} store
 * @param {Decoding} decoding
 * @param {Strip} strip
 */
async function drawStrip(store, decoding, strip) {
  const { view, tools } = store.get();
  const at = frameAt(store, decoding);
  const { position, queries, topLeft } = decoding.frames[at];
  const matrix = byId(`decode-${strip}-matrix`);
  matrix.hidden = strip === "topLeft" && !tools.decode.top_left;
  if (matrix.hidden) return;
  const look = lookOf(view);
  const place = placeIn(store, decoding);
  const picture = stripPicture(decoding, at, strip, place, look);
  const rows = tokenLabels(store, "queries", decoding.queries).slice(position, position + queries);
  const width = picture.z[0].length;
  const columns = strip === "q" || strip === "output" ? Array.from({ length: width }, (_, dim) => String(dim)) : tokenLabels(store, "keys", width);
  const title = strip === "topLeft" ? t("decode.wrong", { difference: brief(topLeft.difference) }) : strip === "output" ? stageName(strip) : t("decode.strip", { stage: stageName(strip), head: place.head });
  byId(`decode-${strip}-title`).textContent = title;
  const frame = byId(`decode-${strip}-frame`);
  frame.setAttribute("aria-label", t("decode.stripFigure", { title, rows: rows.length, columns: width }));
  const input = { picture: { ...picture, scale: { ...picture.scale, bar: { ...picture.scale.bar, hidden: true } } }, rows, columns, titles: { row: " ", column: "" }, palette: look.palette };
  await draw(byId(`decode-${strip}-figure`), matrixFigure({ ...input, width: frame.clientWidth, tallest: Math.max(28, Math.min(STRIP_TALL_PX, 28 * rows.length)) }));
}
