/** The pinned cell as arithmetic: asked from the server for every cell anew, older questions dropped. */

import { fetchInspection } from "../api/client.js";
import { textOfInspection } from "../api/inspection.js";
import { byId } from "../dom.js";
import { lengthsOf } from "../figures/length_span.js";
import { copy } from "../files.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { inspectorParts, drawContributions } from "./inspector_parts.js";
import { lookOf } from "./look.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("../api/inspection.js").Inspection} Inspection */

const COPIED_MS = 1600;
/** Keys of a long row that are told one by one. */
const AROUND = 64;

/** @param {Store} store */
export function mountInspector(store) {
  let controller = new AbortController();
  /** @type {Inspection | null} */
  let shown = null;
  let wholeVectors = false;

  const render = () => show(store, shown, wholeVectors, () => ((wholeVectors = !wholeVectors), render()));

  async function ask() {
    controller.abort();
    controller = new AbortController();
    const { signal } = controller;
    const { cursor, pinned, answered, view, plan } = store.get();
    if (!pinned || !cursor || !answered) {
      shown = null;
      return render();
    }
    byId("inspector").setAttribute("aria-busy", "true");
    const place = { batch: view.batch, head: view.head, query: cursor.query, key: cursor.key, ...(plan ? { keys: keysAround(cursor.key, lengthsOf(plan).S) } : {}) };
    const found = await fetchInspection(toSpec(answered), place, signal).catch((error) => error);
    if (signal.aborted) return undefined;
    shown = found instanceof Error ? null : found;
    render();
    if (found instanceof Error) byId("inspector-who").textContent = t("inspector.failed", { reason: found.message });
    return undefined;
  }

  byId("inspect-first").addEventListener("click", () => {
    const { cursor } = store.get();
    store.set({ cursor: cursor ?? lastVisible(store), cursorStage: "weights", pinned: true });
  });
  byId("inspector-close").addEventListener("click", () => store.set({ pinned: false, cursor: null }));
  byId("inspector-copy").addEventListener("click", () => shown && copyText(shown));
  store.subscribe((state, previous) => {
    const moved = state.pinned !== previous.pinned || (state.pinned && state.cursor !== previous.cursor);
    const other = state.answer !== previous.answer || state.plan !== previous.plan || state.view.head !== previous.view.head || state.view.batch !== previous.view.batch;
    if (moved || (state.pinned && other)) ask();
    else if (shown && (state.view.theme !== previous.view.theme || state.view.language !== previous.view.language)) render();
  });
  let width = 0;
  new ResizeObserver(() => {
    const { clientWidth } = byId("inspector-output");
    if (shown && clientWidth > 0 && clientWidth !== width) drawContributions(shown, lookOf(store.get().view).palette);
    width = clientWidth;
  }).observe(byId("inspector-output"));
  ask();
}

/**
 * Of a long row, the keys around the cell.
 * @param {number} key
 * @param {number} total
 * @returns {[number, number]}
 */
function keysAround(key, total) {
  const first = Math.max(0, Math.min(total - AROUND, key - AROUND / 2));
  return [first, Math.min(total, first + AROUND)];
}

/**
 * A first cell worth looking at: the last query, and the last key that it sees.
 * @param {Store} store
 */
function lastVisible(store) {
  const { answer, plan, view } = store.get();
  if (plan) return lastPair(lengthsOf(plan));
  const [B, H, T, S] = answer?.tensors.allowed.shape ?? [1, 1, 1, 1];
  const row = ((Math.min(view.batch, B - 1) * H + Math.min(view.head, H - 1)) * T + T - 1) * S;
  const key = answer ? answer.tensors.allowed.data.subarray(row, row + S).lastIndexOf(1) : 0;
  return { query: T - 1, key: Math.max(0, key) };
}

/**
 * Of a run whose masks are not at hand: the last query, and the key of its own place or the last.
 * @param {{T: number, S: number}} lengths
 */
function lastPair({ T, S }) {
  return { query: T - 1, key: Math.min(T, S) - 1 };
}

/**
 * @param {Store} store
 * @param {Inspection | null} inspection
 * @param {boolean} whole whether long vectors are shown in full
 * @param {() => void} toggle
 */
function show(store, inspection, whole, toggle) {
  const panel = byId("inspector");
  panel.setAttribute("aria-busy", "false");
  panel.classList.toggle("is-empty", !inspection);
  for (const id of ["inspector-copy", "inspector-close", "inspector-body"]) byId(id).hidden = !inspection;
  byId("inspector-invitation").hidden = inspection !== null;
  byId("inspector-who").textContent = inspection ? t("inspector.who", { ...inspection.at, queryLabel: inspection.labels.query, keyLabel: inspection.labels.key }) : "";
  if (!inspection) return;
  const { answer, plan, answered } = store.get();
  const run = answer ?? plan;
  const keys = run?.tokens.keys[inspection.at.batch] ?? run?.tokens.keys[0] ?? [];
  const parts = inspectorParts(inspection, {
    keys,
    total: plan ? lengthsOf(plan).S : inspection.weights.length,
    kv: run?.layout.kv_head_of[inspection.at.head] ?? 0,
    after: answered?.settings.mask_order === "after_softmax",
    whole,
    toggle,
    choose: (key) => store.set({ cursor: { ...store.get().cursor, query: inspection.at.query, key } }),
  });
  for (const [id, nodes] of Object.entries(parts)) byId(id).replaceChildren(...nodes);
  if (plan) showPressed(byId("inspector-row"));
  drawContributions(inspection, lookOf(store.get().view).palette, keys);
}

/**
 * The cell's own key stands in the middle of a long row's keys.
 * @param {HTMLElement} list
 */
function showPressed(list) {
  const pressed = list.querySelector("[aria-pressed='true']");
  if (pressed instanceof HTMLElement) list.scrollTop = pressed.offsetTop - list.clientHeight / 2;
}

/** @param {Inspection} inspection */
async function copyText(inspection) {
  const button = byId("inspector-copy");
  const copied = await copy(textOfInspection(inspection));
  button.textContent = t(copied ? "inspector.copied" : "export.cannotCopy");
  setTimeout(() => (button.textContent = t("inspector.copy")), COPIED_MS);
}
