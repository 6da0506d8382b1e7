/** Bringing files: the zone to drop them on, how far they are, what was wrong, and a card for each. */

import { byId } from "../dom.js";
import { currentLanguage, t } from "../strings.js";
import { createFileCard } from "./file_card.js";
import { bytes, refusalText } from "./file_words.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../transfers.js").Transfers} Transfers */

const KINDS = ".npz .npy .safetensors .gguf .csv .tsv .json";

/**
 * @param {Store} store
 * @param {Transfers} transfers
 */
export function mountFiles(store, transfers) {
  const input = /** @type {HTMLInputElement} */ (byId("file-input"));
  byId("choose-files").addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    transfers.bring([...(input.files ?? [])]);
    input.value = "";
  });
  byId("transfer-cancel").addEventListener("click", () => {
    transfers.cancel();
    byId("choose-files").focus();
  });
  mountDropping(transfers);
  const showCards = cards(store, transfers);

  const render = () => {
    const shown = store.get().view.source === "file";
    byId("files").hidden = !shown;
    if (!shown) return;
    byId("files-kinds").textContent = t("files.kinds", { kinds: KINDS, most: bytes(Number(input.dataset.most)) });
    showTransfer(store);
    showProblem(store);
    showCards();
  };
  store.subscribe((state, previous) => {
    const changed = state.files !== previous.files || state.document !== previous.document;
    if (changed || state.view !== previous.view) render();
  });
  render();
}

/** @param {Store} store */
function showTransfer(store) {
  const { transfer } = store.get().files;
  const busy = transfer !== null;
  byId("transfer").hidden = !busy;
  byId("drop-zone").classList.toggle("is-busy", busy);
  /** @type {HTMLButtonElement} */ (byId("choose-files")).disabled = busy;
  if (!transfer) return;
  const { name, loaded, total } = transfer;
  const share = total ? Math.min(1, loaded / total) : 0;
  const values = { loaded: bytes(loaded), total: bytes(total), percent: Math.floor(share * 100) };
  byId("transfer-name").textContent = name;
  byId("transfer-says").textContent = loaded < total ? t("files.progress", values) : t("files.reading", values);
  const bar = /** @type {HTMLProgressElement} */ (byId("transfer-bar"));
  if (loaded < total) bar.value = share;
  else bar.removeAttribute("value");
}

/** @param {Store} store */
function showProblem(store) {
  const { problem } = store.get().files;
  const error = byId("files-error");
  error.hidden = problem === null;
  if (!problem) return (error.textContent = "");
  if ("key" in problem) {
    const sizes = Object.entries(problem.values).map(([name, value]) => [name, typeof value === "number" ? bytes(value) : value]);
    return (error.textContent = t(problem.key, Object.fromEntries(sizes)));
  }
  return (error.textContent = refusalText(problem.problem));
}

/**
 * One card a file of the document, the newest on top; made anew only where the file itself is another.
 * @param {Store} store
 * @param {Transfers} transfers
 */
function cards(store, transfers) {
  /** @type {Map<string, {root: HTMLElement, update: () => void, made: unknown[]}>} */
  let shown = new Map();
  return () => {
    const { document: content, files } = store.get();
    /** @type {typeof shown} */
    const next = new Map();
    for (const { id } of [...content.uploads].reverse()) {
      const made = [files.known[id], currentLanguage()];
      const old = shown.get(id);
      const same = old?.made.every((part, index) => part === made[index]);
      next.set(id, old && same ? old : { ...createFileCard(store, transfers, id), made });
    }
    const roots = [...next.values()].map(({ root }) => root);
    const root = byId("file-cards");
    if (roots.length !== root.children.length || roots.some((each, index) => each !== root.children[index])) root.replaceChildren(...roots);
    for (const { update } of next.values()) update();
    shown = next;
  };
}

/**
 * Anywhere on the page; only for files, so that dragged text stays what it is.
 * @param {Transfers} transfers
 */
function mountDropping(transfers) {
  const veil = byId("drop-veil");
  let depth = 0;
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes("Files") ?? false;
  const show = (/** @type {number} */ next) => {
    depth = Math.max(0, next);
    veil.hidden = depth === 0;
  };
  addEventListener("dragenter", (event) => hasFiles(event) && show(depth + 1));
  addEventListener("dragleave", (event) => hasFiles(event) && show(depth - 1));
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    show(0);
    transfers.bring([...(event.dataTransfer?.files ?? [])]);
  });
}
