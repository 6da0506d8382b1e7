/** The pinned cell as arithmetic: asked from the server for every cell anew, older questions dropped. */

import { fetchInspection } from "../api/client.js";
import { textOfInspection } from "../api/inspection.js";
import { byId } from "../dom.js";
import { copy } from "../files.js";
import { toSpec } from "../state/to_spec.js";
import { t } from "../strings.js";
import { inspectorParts, drawContributions } from "./inspector_parts.js";
import { lookOf } from "./look.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("../api/inspection.js").Inspection} Inspection */

const COPIED_MS = 1600;

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
    const { cursor, pinned, answered, view } = store.get();
    if (!pinned || !cursor || !answered) {
      shown = null;
      return render();
    }
    byId("inspector").setAttribute("aria-busy", "true");
    const place = { batch: view.batch, head: view.head, query: cursor.query, key: cursor.key };
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
    const other = state.answer !== previous.answer || state.view.head !== previous.view.head || state.view.batch !== previous.view.batch;
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
 * A first cell worth looking at: the last query, and the last key that it sees.
 * @param {Store} store
 */
function lastVisible(store) {
  const { answer, view } = store.get();
  const [B, H, T, S] = answer?.tensors.allowed.shape ?? [1, 1, 1, 1];
  const row = ((Math.min(view.batch, B - 1) * H + Math.min(view.head, H - 1)) * T + T - 1) * S;
  const key = answer ? answer.tensors.allowed.data.subarray(row, row + S).lastIndexOf(1) : 0;
  return { query: T - 1, key: Math.max(0, key) };
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
  const { answer, answered } = store.get();
  const parts = inspectorParts(inspection, {
    keys: answer?.tokens.keys[inspection.at.batch] ?? [],
    kv: answer?.layout.kv_head_of[inspection.at.head] ?? 0,
    after: answered?.settings.mask_order === "after_softmax",
    whole,
    toggle,
    choose: (key) => store.set({ cursor: { ...store.get().cursor, query: inspection.at.query, key } }),
  });
  for (const [id, nodes] of Object.entries(parts)) byId(id).replaceChildren(...nodes);
  drawContributions(inspection, lookOf(store.get().view).palette, answer?.tokens.keys[inspection.at.batch]);
}

/** @param {Inspection} inspection */
async function copyText(inspection) {
  const button = byId("inspector-copy");
  const copied = await copy(textOfInspection(inspection));
  button.textContent = t(copied ? "inspector.copied" : "export.cannotCopy");
  setTimeout(() => (button.textContent = t("inspector.copy")), COPIED_MS);
}
