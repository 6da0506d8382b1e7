/** How many heads, how they share keys and values, and a drawing of who reads what. */

import { byId, h, svg } from "../dom.js";
import { groupColour, paletteFor } from "../figures/palette.js";
import { divisors, headCounts, width } from "../state/dimensions.js";
import { groupedCounts, kindOf, setKind, setQueryHeads, withHeads } from "../state/sequences.js";
import { t } from "../strings.js";
import { isDark, onSystemTheme } from "../theme.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Document} Document */

const KINDS = /** @type {const} */ (["mha", "gqa", "mqa"]);
const MOST_CHIPS = 10;
const MAP_WIDTH = 328;

/** @param {Store} store */
export function mountHeads(store) {
  const heads = /** @type {HTMLInputElement} */ (byId("num-heads"));
  const kvHeads = /** @type {HTMLInputElement} */ (byId("num-kv-heads"));
  const setH = (/** @type {string} */ text) => store.edit((document) => setQueryHeads(document, text));
  const setK = (/** @type {string} */ text) => store.edit((document) => withHeads(document, { num_kv_heads: text }));
  heads.addEventListener("input", () => setH(heads.value));
  kvHeads.addEventListener("input", () => setK(kvHeads.value));
  for (const kind of KINDS) byId(`kind-${kind}`).addEventListener("click", () => choose(store, kind));

  const render = () => {
    const { document: content, view } = store.get();
    const counts = "q" in content.also ? headCounts(content) : { H: content.heads.num_heads, K: content.heads.num_kv_heads };
    if (heads.value !== String(counts.H)) heads.value = String(counts.H);
    if (kvHeads.value !== String(counts.K)) kvHeads.value = String(counts.K);
    for (const input of [heads, kvHeads]) input.disabled = "q" in content.also;
    showKinds(content);
    showFits(content, setH, setK);
    byId("head-map").replaceChildren(...(shares(content) ? [headMap(content, isDark(view.theme))] : []));
  };
  store.subscribe((state, previous) => {
    const looks = state.view.theme !== previous.view.theme || state.view.language !== previous.view.language;
    if (looks || state.document !== previous.document) render();
  });
  onSystemTheme(render);
  render();
}

/**
 * @param {Store} store
 * @param {import("../state/sequences.js").Kind} kind
 */
function choose(store, kind) {
  const { H } = headCounts(store.get().document);
  const { also } = store.get().document;
  if ("q" in also || (kind === "gqa" && groupedCounts(H).length === 0)) return;
  store.edit((document) => setKind(document, kind));
}

/**
 * Whether every KV head has its whole number of query heads; the server says so where it has not.
 * @param {Document} content
 */
function shares(content) {
  const { H, K } = headCounts(content);
  return H % K === 0;
}

/** @param {Document} content */
function showKinds(content) {
  const { H, K } = headCounts(content);
  const current = kindOf(content);
  const none = groupedCounts(H).length === 0;
  const fixed = "q" in content.also;
  for (const kind of KINDS) {
    byId(`kind-${kind}`).setAttribute("aria-pressed", String(kind === current));
    byId(`kind-${kind}`).setAttribute("aria-disabled", String(fixed || (kind === "gqa" && none)));
  }
  const says = shares(content) ? [t(`heads.${current}`, { group: H / K })] : [];
  if (fixed) says.push(t("heads.fromFile"));
  else if (none) says.push(t("heads.noGqa", { heads: H }));
  byId("kind-says").replaceChildren(...says.map((text) => h("span", { class: "line", text })));
}

/**
 * @param {Document} content
 * @param {(text: string) => void} setH
 * @param {(text: string) => void} setK
 */
function showFits(content, setH, setK) {
  const { H, K } = headCounts(content);
  const E = width(content, "tokens");
  const free = content.input.kind === "heads" || content.heads.head_dim.trim() !== "";
  const forH = free ? [] : divisors(E);
  byId("num-heads-fits").replaceChildren(...chips(t("heads.fits", { width: E }), forH, H, setH));
  byId("num-kv-heads-fits").replaceChildren(...chips(t("heads.fitsKv", { heads: H }), "q" in content.also ? [] : divisors(H), K, setK));
}

/**
 * @param {string} says
 * @param {number[]} counts
 * @param {number} current
 * @param {(text: string) => void} act
 */
function chips(says, counts, current, act) {
  if (counts.length === 0) return [];
  const buttons = counts.slice(0, MOST_CHIPS).map((count) =>
    h("button", { type: "button", class: "chip", text: String(count), "aria-pressed": String(count === current), on: { click: () => act(String(count)) } }),
  );
  return [h("span", { class: "says", text: says }), ...buttons];
}

/**
 * Query heads above, KV heads below, a line from each to the one it reads.
 * @param {Document} content
 * @param {boolean} dark
 */
function headMap(content, dark) {
  const { H, K } = headCounts(content);
  const palette = paletteFor(dark);
  const pitch = Math.min(44, MAP_WIDTH / H);
  const size = Math.min(28, pitch - 2);
  const total = pitch * H;
  const group = H / K;
  /** @param {number} head */
  const queryX = (head) => (head + 0.5) * pitch;
  /** @param {number} kv */
  const kvX = (kv) => ((kv + 0.5) * total) / K;
  const parts = [];
  for (let head = 0; head < H; head += 1) {
    const kv = Math.floor(head / group);
    const colour = groupColour(palette, kv);
    parts.push(svg("path", { d: `M${queryX(head)},${size + 1}C${queryX(head)},44 ${kvX(kv)},36 ${kvX(kv)},${60}`, stroke: colour, "stroke-width": H > 24 ? 1 : 1.5, fill: "none" }));
    parts.push(...node(`H${head}`, queryX(head), 1, size, size, { fill: "none", stroke: colour, ink: palette.ink }));
  }
  const kvWidth = Math.min(44, Math.max(size, total / K - 4));
  for (let kv = 0; kv < K; kv += 1) {
    const colour = groupColour(palette, kv);
    parts.push(...node(`KV${kv}`, kvX(kv), 60, kvWidth, 24, { fill: colour, stroke: colour, ink: palette.onMark }));
  }
  const label = t("heads.map", { heads: H, kv: K, group });
  return svg("svg", { viewBox: `0 0 ${total} 86`, width: total, height: 86, role: "img", "aria-label": label }, parts);
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {number} wide
 * @param {number} tall
 * @param {{fill: string, stroke: string, ink: string}} colours
 */
function node(text, x, y, wide, tall, { fill, stroke, ink }) {
  const box = svg("rect", { x: x - wide / 2, y, width: wide, height: tall, rx: Math.min(6, wide / 3), fill, stroke, "stroke-width": 1.5 });
  if (wide < text.length * 6.5) return [box];
  const label = svg("text", { x, y: y + tall / 2 + 4, "text-anchor": "middle", "font-size": 11, fill: ink });
  label.textContent = text;
  return [box, label];
}
