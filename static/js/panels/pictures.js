/** When which picture is drawn anew: each only for the part of the state it shows. */

import { byId } from "../dom.js";
import { onSystemTheme } from "../theme.js";
import { mountCellCard } from "./cell_card.js";
import { mountCursor } from "./cursor.js";
import { mountNumbersTable } from "./numbers_table.js";
import { mountOverview } from "./overview.js";
import { mountSelected } from "./selected.js";

/** @typedef {import("../store.js").Store} Store */

/** The parts of the view that change what is drawn. */
const DRAWN = /** @type {const} */ (["batch", "head", "stage", "showMasked", "theme"]);

/** @param {Store} store */
export function mountPictures(store) {
  const drawOverview = mountOverview(store);
  const drawSelected = mountSelected(store);
  const drawCursor = mountCursor(store);
  const drawCard = mountCellCard(store);
  const drawTable = mountNumbersTable(store);

  const drawCell = () => {
    drawCursor();
    drawCard();
  };
  const drawAll = async () => {
    const { answer } = store.get();
    drawTable();
    await Promise.all([drawSelected(), drawOverview()]);
    drawCell();
    if (answer && answer === store.get().answer) announce(store);
  };
  store.subscribe((state, previous) => {
    const seen = DRAWN.some((name) => state.view[name] !== previous.view[name]);
    if (state.answer !== previous.answer || seen) drawAll();
    else if (state.cursor !== previous.cursor || state.details !== previous.details || state.pinned !== previous.pinned) drawCell();
  });
  onSystemTheme(drawAll);
  onResize(byId("pictures"), drawAll);
}

/**
 * The document says "ready" only once the pictures show the newest answer.
 * @param {Store} store
 */
function announce(store) {
  document.documentElement.dataset.state = store.get().status;
}

/**
 * @param {HTMLElement} element
 * @param {() => void} act
 */
function onResize(element, act) {
  let width = element.clientWidth;
  let frame = 0;
  new ResizeObserver(() => {
    if (element.clientWidth === width) return;
    width = element.clientWidth;
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(act);
  }).observe(element);
}
