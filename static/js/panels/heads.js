/** How many heads, how they share keys and values, and a drawing of who reads what. */

import { byId, h, svg } from "../dom.js";
import { headMapOf } from "../figures/head_map.js";
import { groupColour, paletteFor } from "../figures/palette.js";
import { divisors, headCounts, width } from "../state/dimensions.js";
import { groupedCounts, kindOf, setKind, setQueryHeads, withHeads } from "../state/sequences.js";
import { t } from "../strings.js";
import { isDark, onSystemTheme } from "../theme.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../state/types.js").Document} Document */

const KINDS = /** @type {const} */ (["mha", "gqa", "mqa"]);
const MOST_CHIPS = 10;

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

const QUERY_TALL_PX = 28;
const KV_TALL_PX = 24;
const LINES_PX = 31;
/** Height of a line of names outside the boxes. */
const NAMES_PX = 16;

/**
 * Query heads above, KV heads below, a line from each to the one it reads.
 * @param {Document} content
 * @param {boolean} dark
 */
export function headMap(content, dark) {
  const { H, K } = headCounts(content);
  const palette = paletteFor(dark);
  const { total, queries, kvs } = headMapOf(H, K);
  const group = H / K;
  const top = queries.inside ? 1 : NAMES_PX;
  const tall = queries.inside ? queries.wide : QUERY_TALL_PX / 2;
  const [from, to] = [top + tall, top + tall + LINES_PX];
  const height = to + KV_TALL_PX + (kvs.inside ? 2 : NAMES_PX);
  const lines = queries.x.map((x, head) => {
    const kv = Math.floor(head / group);
    const path = `M${x},${from}C${x},${from + 15} ${kvs.x[kv]},${to - 24} ${kvs.x[kv]},${to}`;
    return svg("path", { d: path, stroke: groupColour(palette, kv), "stroke-width": H > 24 ? 1 : 1.5, fill: "none" });
  });
  const above = boxes(queries, { y: top, tall, filled: !queries.inside, colour: (head) => groupColour(palette, Math.floor(head / group)) });
  const below = boxes(kvs, { y: to, tall: KV_TALL_PX, filled: true, colour: (kv) => groupColour(palette, kv) });
  const parts = [
    ...lines,
    ...above,
    ...below,
    ...names("H", queries, queries.inside ? top + tall / 2 + 4 : NAMES_PX - 5, palette.ink),
    ...names("KV", kvs, to + (kvs.inside ? KV_TALL_PX / 2 + 4 : KV_TALL_PX + 13), kvs.inside ? palette.onMark : palette.ink),
  ];
  const label = t("heads.map", { heads: H, kv: K, group });
  return svg("svg", { viewBox: `0 0 ${total} ${height}`, width: total, height, role: "img", "aria-label": label }, parts);
}

/**
 * @param {import("../figures/head_map.js").Row} row
 * @param {{y: number, tall: number, filled: boolean, colour: (head: number) => string}} look
 */
function boxes({ x, wide }, { y, tall, filled, colour }) {
  return x.map((middle, head) =>
    svg("rect", { x: middle - wide / 2, y, width: wide, height: tall, rx: Math.min(6, wide / 3), fill: filled ? colour(head) : "none", stroke: colour(head), "stroke-width": filled ? 0 : 1.5 }),
  );
}

/**
 * @param {string} letters
 * @param {import("../figures/head_map.js").Row} row
 * @param {number} y
 * @param {string} ink
 */
function names(letters, { names: found }, y, ink) {
  return found.map(({ head, x }) => {
    const label = svg("text", { x, y, "text-anchor": "middle", "font-size": 11, fill: ink });
    label.textContent = `${letters}${head}`;
    return label;
  });
}
