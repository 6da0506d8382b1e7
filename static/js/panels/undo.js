/** Undo and redo of what is set, by button and by key. */

import { byId } from "../dom.js";
import { createHistory, placeOfChange } from "../state/history.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */

/** Fields of the view that go with the document. */
const PLACE = /** @type {const} */ (["example", "batch", "head", "gridHead", "window"]);

/**
 * @param {Store} store
 * @param {Pick<AppState, "document" | "compare" | "own" | "view"> | null} before what an opened link took the place of
 */
export function mountUndo(store, before) {
  const history = createHistory();
  if (before) history.record(entryOf(before), "", performance.now());
  const stroke = watchStrokes();
  const typing = watchTyping();
  /** @type {EventTarget | null} the field that the last change was typed in */
  let typedIn = null;
  let turning = false;

  store.subscribe((state, previous) => {
    if (!changed(state, previous)) return;
    typedIn = typing();
    if (turning) return;
    history.record(entryOf(previous), stroke() || keyOf(previous, state), performance.now());
    show();
  });
  /** @param {"undo" | "redo"} direction */
  const turn = (direction) => {
    const entry = history[direction](entryOf(store.get()));
    if (!entry) return;
    turning = true;
    const { place, document: content, compare, own } = entry;
    const now = store.get();
    store.set({ document: content, own, compare: { ...compare, stage: now.compare.stage }, view: { ...now.view, ...place } });
    turning = false;
    show();
  };
  const show = () => {
    // Not `disabled`, which would take the focus away from the key that was pressed.
    byId("undo").setAttribute("aria-disabled", String(!history.canUndo()));
    byId("redo").setAttribute("aria-disabled", String(!history.canRedo()));
  };
  byId("undo").addEventListener("click", () => turn("undo"));
  byId("redo").addEventListener("click", () => turn("redo"));
  document.addEventListener("keydown", (event) => {
    const direction = directionOf(event);
    if (!direction || takesBackItself(event.target, typedIn)) return;
    event.preventDefault();
    turn(direction);
  });
  show();
}

/**
 * Which stage of a comparison is on show is a way of looking, and no change of what is set; the window of a
 * long run is one to come back from.
 * @param {AppState} state
 * @param {AppState} previous
 */
function changed({ document: content, compare, own, view }, previous) {
  if (view.window !== previous.view.window && view.example === previous.view.example) return true;
  return content !== previous.document || own !== previous.own || (compare !== previous.compare && compare.stage === previous.compare.stage);
}

/** @param {Pick<AppState, "document" | "compare" | "own" | "view">} state */
function entryOf({ document: content, compare, own, view }) {
  const place = Object.fromEntries(PLACE.map((name) => [name, view[name]]));
  return { document: content, compare, own, place: /** @type {Pick<AppState["view"], typeof PLACE[number]>} */ (place) };
}

/**
 * @param {AppState} before
 * @param {AppState} after
 */
function keyOf(before, after) {
  if (before.document === after.document && before.view.window !== after.view.window) return "view.window";
  const place = placeOfChange({ content: before.document, compare: before.compare, own: before.own }, { content: after.document, compare: after.compare, own: after.own });
  return place?.typed ? place.path : "";
}

/** The name of the stroke while a button of the pointer is held, else "". */
function watchStrokes() {
  let count = 0;
  let held = false;
  addEventListener("pointerdown", () => {
    held = true;
    count += 1;
  }, true);
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => (held = false), true);
  return () => (held ? `stroke ${count}` : "");
}

/**
 * @param {KeyboardEvent} event
 * @returns {"undo" | "redo" | null}
 */
function directionOf({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  if (altKey || !(ctrlKey || metaKey)) return null;
  if (key.toLowerCase() === "z") return shiftKey ? "redo" : "undo";
  return key.toLowerCase() === "y" && !shiftKey ? "redo" : null;
}

/** The field that is being typed in, else null. */
function watchTyping() {
  /** @type {EventTarget | null} */
  let field = null;
  addEventListener("input", ({ target }) => (field = target), true);
  addEventListener("input", () => (field = null));
  return () => field;
}

/**
 * A cell of a grid does so only while its letters are the last change: a paste set its text from outside.
 * @param {EventTarget | null} target
 * @param {EventTarget | null} typedIn
 */
function takesBackItself(target, typedIn) {
  const cell = target instanceof HTMLInputElement && target.dataset.grid !== undefined;
  return cell ? target === typedIn : isTextField(target);
}

/**
 * Text fields take back their own letters.
 * @param {EventTarget | null} target
 */
function isTextField(target) {
  if (target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && ["text", "number", "search"].includes(target.type);
}
