/** Masks: before and after the softmax, and which of several hides what. */

import { fetchAttention } from "../../api/client.js";
import { blockedCells, sumOf } from "../../api/lesson.js";
import { headRows } from "../../tensors.js";
import { t } from "../../strings.js";
import { serverText } from "../../strings/server.js";
import { MOST_ROWS, labelOf, rowsOf, sizeOf } from "./context.js";
import { note, shortened, table, verdict } from "./tables.js";

/** @typedef {import("../../api/answer.js").Answer} Answer */

const ORDERS = ["before_softmax", "after_softmax"];

/** @type {import("./context.js").Evidence<Answer[]>} no mask, before, after */
export const MASK_ORDER = {
  ask: ({ spec }, signal) => {
    const runs = [{ ...spec, masks: [] }, ...ORDERS.map((mask_order) => ({ ...spec, mask_order }))];
    return Promise.all(runs.map((run) => fetchAttention(run, ["weights"], signal)));
  },
  show: (found, context) => {
    const { T } = sizeOf(context);
    const query = Math.min(context.cell?.query ?? T - 1, T - 1);
    const { batch, head } = context.view;
    const rows = found.map(({ tensors }) => headRows(tensors.weights, batch, head)[query]);
    const keys = Array.from(rows[0].slice(0, MOST_ROWS), (_, key) => labelOf(context, "keys", key));
    const names = [t("lesson.order.none"), t("advanced.order.before"), t("advanced.order.after")];
    const sums = rows.map(sumOf);
    return [
      verdict(t("lesson.order.verdict", { before: shortened(sums[1]), after: shortened(sums[2]) }), { before: sums[1], after: sums[2] }),
      table(
        t("lesson.order.table", { query: labelOf(context, "queries", query) }),
        [t("lesson.order.applied"), ...keys, t("lesson.rows.sum")],
        rows.map((row, index) => [names[index], ...Array.from(row.slice(0, MOST_ROWS), Number), sums[index]]),
      ),
    ];
  },
};

/** @type {import("./context.js").Evidence<null>} */
export const COMBINE = {
  ask: async () => null,
  show: (_, context) => {
    const { T, S } = sizeOf(context);
    const { masks } = context.answer;
    const found = blockedCells(rowsOf(context, "blocked_by"), masks.length);
    const seen = rowsOf(context, "allowed").slice(0, MOST_ROWS);
    const counts = seen.map((row, query) => [labelOf(context, "queries", query), sumOf(row), found.visible ? Array.from(row.slice(0, MOST_ROWS), (cell, key) => (cell ? labelOf(context, "keys", key) : "·")).join(" ") : "·"]);
    return [
      verdict(t("lesson.combine.verdict", { cells: T * S, visible: found.visible, hidden: T * S - found.visible, several: found.several }), { visible: found.visible, several: found.several }),
      table(t("lesson.combine.masks"), [t("lesson.combine.mask"), t("lesson.combine.all"), t("lesson.combine.alone")], masks.map(({ description }, index) => [serverText(description), found.each[index].all, found.each[index].alone])),
      table(t("lesson.combine.queries"), [t("selected.query"), t("lesson.combine.count"), t("lesson.combine.keys")], counts, "is-keys"),
      note(t("lesson.combine.note")),
    ];
  },
};
