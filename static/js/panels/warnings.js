/** What the server warns of, beside the pictures it concerns, with the way to what it is about. */

import { fieldOf } from "../api/fields.js";
import { byId, h } from "../dom.js";
import { STAGES } from "../state/stages.js";
import { t } from "../strings.js";
import { placeName } from "../strings/places.js";
import { serverText } from "../strings/server.js";
import { stageName } from "./names.js";
import { goTo, goToControl } from "./places.js";

/** @typedef {import("../api/answer.js").Warning} Warning */
/** @typedef {import("../state/types.js").Document} Document */
/** @typedef {import("../store.js").Store} Store */
/** @typedef {import("../strings.js").Key} Key */

/** @param {Store} store */
export function mountWarnings(store) {
  store.subscribe((state, previous) => {
    const run = state.answer ?? state.plan;
    if (!run || run === (previous.answer ?? previous.plan)) return;
    byId("warnings").replaceChildren(...run.warnings.map((warning) => note(store, warning)));
  });
}

/**
 * @param {Store} store
 * @param {Warning} warning
 */
function note(store, warning) {
  const content = answeredDocument(store);
  const rows = warning.code === "fully_masked_rows" && warning.rows ? blindRows(store, warning.rows) : null;
  const policy = t(`advanced.fullyMasked.${content.settings.fully_masked}`);
  const text = rows ? t("warning.frameworks", { policy }) : serverText(warning.message);
  return h("div", { class: "warning", data: { code: warning.code } }, [...(rows ?? []), h("span", { text }), h("div", { class: "ways" }, ways(store, warning))]);
}

/** @param {Store} store */
function answeredDocument(store) {
  const { answered, document: content } = store.get();
  return answered ?? content;
}

/**
 * One line a sequence, whichever heads the rows are blind in; each leads to its rows in the picture of the mask.
 * @param {Store} store
 * @param {number[][]} rows [batch, head, query]
 */
function blindRows(store, rows) {
  /** @type {Map<number, Set<number>>} */
  const queries = new Map();
  for (const [batch, , query] of rows) queries.set(batch, (queries.get(batch) ?? new Set()).add(query));
  return [...queries].map(([batch, found]) => {
    const list = [...found].sort((one, other) => one - other);
    const noun = t(found.size === 1 ? "warning.query" : "warning.queries", { rows: list.join(", ") });
    const text = t("warning.rows", { batch, rows: noun });
    const head = rows.find((row) => row[0] === batch)?.[1] ?? 0;
    return way(text, () => showRow(store, "allowed", [batch, head, list[0]]), "warning.showRows");
  });
}

/**
 * The pictures stand right above the warnings.
 * @param {Store} store
 * @param {string} stage
 * @param {number[]} row batch, head, query
 */
function showRow(store, stage, [batch, head]) {
  store.view({ batch, head, stage });
}

/**
 * @param {Store} store
 * @param {Warning} warning
 * @returns {HTMLElement[]}
 */
function ways(store, warning) {
  const row = warning.code === "rows_do_not_sum_to_one" && warning.rows?.[0];
  const stage = warning.message.match(/^not finite: (\w+)/)?.[1] ?? "";
  return [
    ...(row ? [way(t("warning.showFirst"), () => showRow(store, "weights", row))] : []),
    ...(stage in STAGES ? [way(t("warning.showStage", { stage: stageName(stage) }), () => store.view({ stage }))] : []),
    ...controlWay(store, warning),
  ];
}

/**
 * The control to turn, or the number to mend; none where the pictures stand alone.
 * @param {Store} store
 * @param {Warning} warning
 */
function controlWay(store, warning) {
  const content = answeredDocument(store);
  const { path, cell } = concern(warning, content);
  if (!path || !document.getElementById("setup")) return [];
  const go = () => {
    if (!cell || cell.item < 0) return goToControl(store, path);
    store.view({ setup: true, batch: cell.item, gridHead: Math.max(0, cell.head) });
    const field = document.querySelector(`[data-grid="${cell.grid}"][data-row="${cell.row}"][data-col="${cell.column}"]`);
    return field instanceof HTMLElement ? goTo(field) : goToControl(store, path);
  };
  return [way(t("warning.goTo", { name: placeName(path) }), go)];
}

/**
 * @param {Warning} warning
 * @param {Document} content
 * @returns {import("../api/fields.js").Field}
 */
function concern({ code, concerns, message }, content) {
  if (code === "fully_masked_rows") return { path: "settings.fully_masked" };
  if (code === "rows_do_not_sum_to_one") return { path: sumsPath(content) };
  if (code === "overflow" && concerns !== "fill") return { path: "settings.dtype" };
  if (!concerns) return { path: "" };
  const index = message.match(/ at \[([\d, ]*)\]$/)?.[1] ?? "";
  const loc = `${concerns}.${index}`.match(/[a-z_]\w*|\d+/gi) ?? [];
  return fieldOf(loc.map((part) => (/^\d/.test(part) ? Number(part) : part)), content);
}

/**
 * What keeps rows from summing to 1, as far as a control says it.
 * @param {Document} content
 */
function sumsPath({ settings }) {
  if (settings.mask_order === "after_softmax") return "settings.mask_order";
  return settings.sinks.on ? "settings.sinks" : "settings.dtype";
}

/**
 * @param {string} text
 * @param {() => void} act
 * @param {Key} [title]
 */
function way(text, act, title) {
  return h("button", { type: "button", class: "way", text, title: title && t(title), on: { click: act } });
}
