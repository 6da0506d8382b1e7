/** Every head of a long run in small, each an exact pass of its own, one after another. */

import { byId, h } from "../dom.js";
import { groupColour } from "../figures/palette.js";
import { stageHead } from "../figures/length_span.js";
import { wholeSides } from "../length_scene.js";
import { subjectKey } from "../length_source.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { paintLayers } from "./length_canvas.js";
import { smallOf } from "./length_map.js";
import { pooledText } from "./length_words.js";
import { stageName } from "./names.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../length_scene.js").Scene} Scene */
/** @typedef {import("../api/view.js").Found} Found */
/** @typedef {import("../figures/length_picture.js").LengthLook} LengthLook */

const TILE_PX = 88;
/** Pairs that are computed without being asked for: about a second's work. */
const MOST_UNASKED = 2 ** 30;

/**
 * @param {Store} store
 * @param {ReturnType<typeof import("../length_source.js").createWindowSource>} source
 * @param {{sceneNow: () => Scene | null, lookNow: () => LengthLook, changed: () => void}} act
 */
export function mountLengthHeads(store, source, { sceneNow, lookNow, changed }) {
  /** @type {Map<number, Found>} */
  let found = new Map();
  let key = "";
  let job = new AbortController();
  /** @type {{head: number, heads: number, done: number, of: number} | null} */
  let work = null;
  byId("length-heads-draw").addEventListener("click", () => begin(true));
  byId("length-heads-tiles").addEventListener("keydown", (event) => onArrow(store, event));

  /** Heads of another run, stage or pooling are no use. */
  function renew() {
    const scene = sceneNow();
    const now = scene ? subjectKey({ ...scene.subject, head: -1 }) : "";
    if (now === key) return;
    key = now;
    found = new Map();
    stop();
  }

  function stop() {
    job.abort();
    work = null;
  }

  /** @param {boolean} asked */
  async function begin(asked) {
    renew();
    const scene = sceneNow();
    if (!scene || work) return;
    const heads = tileHeads(scene);
    const left = heads.filter((head) => !pictureOf(scene, head)?.finished);
    const { rows, cols } = scene.span.totals;
    if (!asked && left.length * rows * cols > MOST_UNASKED) return;
    job = new AbortController();
    const { signal } = job;
    for (const head of left) await one(scene, head, heads.length, signal).catch(() => job.abort());
    if (!signal.aborted) work = null;
    changed();
  }

  /**
   * @param {Scene} scene
   * @param {number} head
   * @param {number} heads
   * @param {AbortSignal} signal
   */
  async function one({ plan, subject, span }, head, heads, signal) {
    if (signal.aborted) return;
    const [rows, cols] = wholeSides(span);
    work = { head, heads, done: 0, of: 0 };
    await source.load({ ...subject, head: stageHead(plan, subject.stage, head) }, rows, cols, signal, (part) => {
      found.set(head, part);
      work = { head, heads, done: part.done, of: part.of };
      changed();
    });
  }

  /**
   * @param {Scene} scene
   * @param {number} head
   * @returns {Found | null}
   */
  function pictureOf({ plan, subject, span, overview }, head) {
    const own = { ...subject, head: stageHead(plan, subject.stage, head) };
    if (own.head === subject.head && overview) return overview;
    return found.get(head) ?? source.known(own, ...wholeSides(span)) ?? null;
  }

  function render() {
    renew();
    const scene = sceneNow();
    const part = byId("length-heads");
    if (!scene || part.hidden) return;
    const heads = tileHeads(scene);
    const pictures = heads.map((head) => pictureOf(scene, head));
    const missing = pictures.filter((picture) => !picture?.finished).length;
    const button = byId("length-heads-draw");
    button.hidden = missing === 0 || work !== null || Boolean(scene.work);
    button.textContent = t("length.headsDraw", { heads: missing });
    showTiles(store, scene, heads, pictures, lookNow());
  }

  return { render, stop, begin: () => begin(false), work: () => work };
}

/**
 * One query head of each tile: the first that reads a KV head where the stage has those alone.
 * @param {Scene} scene
 */
function tileHeads({ plan, subject }) {
  const { kv_head_of: kvHeadOf } = plan.layout;
  const all = kvHeadOf.map((_, head) => head);
  return STAGES[subject.stage].heads === "kv" ? all.filter((head) => kvHeadOf.indexOf(kvHeadOf[head]) === head) : all;
}

/**
 * @param {Store} store
 * @param {Scene} scene
 * @param {number[]} heads
 * @param {(Found | null)[]} pictures
 * @param {LengthLook} look
 */
function showTiles(store, { plan, subject, span }, heads, pictures, look) {
  const root = byId("length-heads-tiles");
  const { kv_head_of: kvHeadOf } = plan.layout;
  const chosen = store.get().view.head;
  while (root.children.length > heads.length) root.lastElementChild?.remove();
  heads.forEach((head, index) => {
    const tile = /** @type {HTMLElement} */ (root.children[index] ?? root.appendChild(emptyTile(store)));
    const picture = pictures[index];
    const pressed = kvHeadOf[chosen] === kvHeadOf[head] && (STAGES[subject.stage].heads === "kv" || chosen === head);
    tile.dataset.head = String(head);
    tile.dataset.state = picture?.finished ? "ready" : "computing";
    tile.setAttribute("aria-pressed", String(pressed));
    tile.tabIndex = pressed ? 0 : -1;
    tile.setAttribute("aria-label", t("length.headButton", { head, kv: kvHeadOf[head] }));
    tile.title = picture ? t("length.headTip", { stage: stageName(subject.stage), head, pooled: pooledText(picture.reduced, subject.stage) }) : "";
    tile.style.setProperty("--group", groupColour(look.palette, kvHeadOf[head]));
    const canvas = /** @type {HTMLCanvasElement} */ (tile.firstElementChild);
    const small = picture && smallOf(picture, TILE_PX);
    paintLayers(canvas, { width: TILE_PX, height: TILE_PX }, { rows: [0, span.totals.rows], cols: [0, span.totals.cols] }, [small], subject.stage, look);
    const name = /** @type {HTMLElement} */ (tile.lastElementChild);
    name.textContent = `H${head} · KV${kvHeadOf[head]}`;
  });
}

/** @param {Store} store */
function emptyTile(store) {
  const tile = h("button", { type: "button", class: "length-tile" }, [h("canvas"), h("span")]);
  tile.addEventListener("click", () => store.view({ head: Number(tile.dataset.head) }));
  return tile;
}

/**
 * @param {Store} store
 * @param {KeyboardEvent} event
 */
function onArrow(store, event) {
  const tiles = /** @type {HTMLElement[]} */ ([...byId("length-heads-tiles").children]);
  const at = tiles.findIndex((tile) => tile.getAttribute("aria-pressed") === "true");
  const to = /** @type {Record<string, number>} */ ({ ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: tiles.length - 1 })[event.key];
  if (to === undefined || !tiles[to]) return;
  event.preventDefault();
  store.view({ head: Number(tiles[to].dataset.head) });
  tiles[to].focus();
}
