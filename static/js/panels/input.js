/** What is given: token vectors or heads, one tab a sequence, and the grids to type into. */

import { byId, h } from "../dom.js";
import { paste, setCell } from "../state/blocks.js";
import { editColumns } from "../state/columns.js";
import { keyLengths, queryLengths } from "../state/dimensions.js";
import { blockAt, editBlock, gridHeads, gridNames } from "../state/grids.js";
import { keepOf, ragged } from "../state/padding.js";
import { editRows } from "../state/rows.js";
import { addSequence, removeSequence, setCross, setInputKind } from "../state/sequences.js";
import { t } from "../strings.js";
import { referenceCard } from "./reference_card.js";
import { createTokenGrid } from "./token_grid.js";

/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../store.js").AppState} AppState */
/** @typedef {import("../state/grids.js").GridName} GridName */

/** @param {Store} store */
export function mountInput(store) {
  const sections = Object.fromEntries(
    /** @type {GridName[]} */ (["x", "memory", "q", "k", "v"]).map((name) => [name, gridSection(store, name)]),
  );
  byId("grids").append(...Object.values(sections).map(({ root }) => root), h("p", { class: "says", text: t("grid.paste"), data: { i18n: "grid.paste" } }));
  for (const kind of /** @type {const} */ (["vectors", "heads"])) {
    onRadio(`input-${kind}`, () => {
      store.view({ source: "" });
      store.edit((document) => setInputKind(document, kind));
    });
  }
  for (const source of /** @type {const} */ (["file", "text", "random"])) onRadio(`input-${source}`, () => store.view({ source }));
  onRadio("self", () => store.edit((document) => setCross(document, false)));
  onRadio("cross", () => store.edit((document) => setCross(document, true)));

  const render = () => {
    const state = store.get();
    showSwitches(state);
    showTabs(store);
    for (const section of Object.values(sections)) section.update(state);
  };
  store.subscribe((state, previous) => {
    if (state.document !== previous.document || state.view !== previous.view) render();
  });
  render();
  return sections;
}

/**
 * @param {string} id
 * @param {() => void} act
 */
function onRadio(id, act) {
  byId(id).addEventListener("change", act);
}

/** @param {AppState} state */
function showSwitches({ document: { input }, document: content, view }) {
  const on = (/** @type {string} */ id, /** @type {boolean} */ checked) => {
    /** @type {HTMLInputElement} */ (byId(id)).checked = checked;
  };
  on("input-vectors", view.source === "" && input.kind === "vectors");
  on("input-heads", view.source === "" && input.kind === "heads");
  on("input-file", view.source === "file");
  on("input-text", view.source === "text");
  on("input-random", view.source === "random");
  byId("typed").hidden = view.source !== "";
  on("self", !input.cross);
  on("cross", input.cross);
  const uneven = ragged(content) || new Set(queryLengths(content)).size > 1;
  byId("pad-side-row").hidden = input.kind === "heads" || !(uneven || input.sequences.length > 1);
}

/** @param {Store} store */
function showTabs(store) {
  const { document: content, view } = store.get();
  const count = queryLengths(content).length;
  const typed = !("x" in content.also || "q" in content.also);
  const tabs = Array.from({ length: count }, (_, item) =>
    h("span", { class: "tab" }, [
      h("button", {
        type: "button",
        class: "tab-button",
        text: t("input.sequence", { n: item }),
        "aria-pressed": String(item === view.batch),
        on: { click: () => store.view({ batch: item }) },
      }),
      ...(typed && count > 1 && item === view.batch
        ? [h("button", { type: "button", class: "tool", text: "×", "aria-label": t("input.removeSequence", { n: item }), on: { click: () => remove(store, item) } })]
        : []),
    ]),
  );
  const add = h("button", { type: "button", class: "add", text: "+", title: t("input.addSequence"), "aria-label": t("input.addSequence"), on: { click: () => append(store) } });
  byId("sequence-tabs").replaceChildren(...tabs, ...(typed ? [add] : []));
  byId("sequence-tabs").hidden = !typed && count === 1;
}

/** @param {Store} store */
function append(store) {
  const last = queryLengths(store.get().document).length - 1;
  store.edit((document) => addSequence(document, last));
  store.view({ batch: last + 1 });
}

/**
 * @param {Store} store
 * @param {number} item
 */
function remove(store, item) {
  store.view({ batch: Math.max(0, item - 1) });
  store.edit((document) => removeSequence(document, item));
}

/**
 * @param {Store} store
 * @param {GridName} name
 */
function gridSection(store, name) {
  const place = () => {
    const { document: content, view } = store.get();
    const items = (content.input.kind === "heads" ? content.input.given : content.input.sequences).length;
    const heads = Math.max(1, gridHeads(content, name));
    return { name, item: Math.min(view.batch, items - 1), head: Math.min(view.gridHead, heads - 1) };
  };
  /** @param {(block: import("../state/blocks.js").Block) => import("../state/blocks.js").Block} change */
  const edit = (change) => store.edit((document) => editBlock(document, place(), change));
  /** @param {import("../state/rows.js").RowEdit} change */
  const rows = (change) => store.edit((document) => editRows(document, place(), change));
  /** @param {import("../state/columns.js").ColumnEdit} change */
  const columns = (change) => store.edit((document) => editColumns(document, place(), change));
  const grid = createTokenGrid(name, {
    set: (row, column, text) => edit((block) => setCell(block, row, column, text)),
    paste: (row, column, pasted) => edit((block) => paste(block, row, column, pasted)),
    addColumn: () => columns({ kind: "insert", at: blockAt(store.get().document, place())[0].cells.length }),
    moveColumn: (from, to) => columns({ kind: "move", from, to }),
    removeColumn: (at) => columns({ kind: "remove", at }),
    addRow: () => rows({ kind: "insert", at: blockAt(store.get().document, place()).length }),
    removeRow: (at) => rows({ kind: "remove", at }),
    moveRow: (from, to) => rows({ kind: "move", from, to }),
  });
  const heads = h("div", { class: "chips", role: "group", "aria-label": t("grid.head"), data: { i18nLabel: "grid.head" } });
  const aside = h("div", { class: "reference-card", hidden: true });
  const error = h("p", { class: "error", id: `error-input-${name}`, hidden: true, data: { error: `input.${name}` } });
  const body = h("div", {}, [heads, grid.root]);
  const root = h("div", { class: "grid-section" }, [h("h3", { text: t(`grid.${name}`), data: { i18n: `grid.${name}` } }), aside, body, error]);
  return { root, grid, update: (/** @type {AppState} */ state) => update(state) };

  /** @param {AppState} state */
  function update({ document: content, view }) {
    root.hidden = !gridNames(content).includes(name);
    const standsAside = name in content.also;
    aside.hidden = !standsAside;
    body.hidden = standsAside;
    if (root.hidden) return;
    if (standsAside) return aside.replaceChildren(...referenceCard(store, name));
    grid.update(contentOf(content, place()));
    showHeads(gridHeads(content, name), view.gridHead);
  }

  /**
   * @param {number} count
   * @param {number} chosen
   */
  function showHeads(count, chosen) {
    const current = Math.min(chosen, count - 1);
    heads.hidden = count < 2;
    heads.replaceChildren(
      ...Array.from({ length: count }, (_, head) =>
        h("button", { type: "button", class: "chip", text: `${t("grid.head")} ${head}`, "aria-pressed": String(head === current), on: { click: () => store.view({ gridHead: head }) } }),
      ),
    );
  }
}

/**
 * @param {import("../state/types.js").Document} content
 * @param {import("../state/grids.js").GridPlace} place
 * @returns {import("./token_grid.js").GridContent}
 */
function contentOf(content, place) {
  const block = blockAt(content, place);
  const lengths = place.name === "memory" ? keyLengths(content) : queryLengths(content);
  const vectors = content.input.kind === "vectors";
  const filling = vectors ? Math.max(...lengths) - block.length : 0;
  const { pad_side: side, pad_label: padLabel, cross } = content.input;
  const keySide = place.name !== "q" && (place.name !== "x" || !cross);
  const keep = keySide && content.masks.padding.on ? keepOf(content)[place.item] : [];
  const offset = keep.length - block.length - (side === "left" ? 0 : filling);
  const masked = keep.length ? block.map((_, row) => !keep[row + Math.max(0, offset)]) : [];
  return { block, filling, side, padLabel, masked };
}
