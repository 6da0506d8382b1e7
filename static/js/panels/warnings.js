/** What the server warns of, beside the pictures it concerns. */

import { byId, h } from "../dom.js";
import { t } from "../strings.js";
import { serverText } from "../strings/server.js";

/** @typedef {import("../api/answer.js").Warning} Warning */

/** @param {import("../store.js").Store} store */
export function mountWarnings(store) {
  store.subscribe((state, previous) => {
    if (!state.answer || state.answer === previous.answer) return;
    const policy = (state.answered ?? state.document).settings.fully_masked;
    byId("warnings").replaceChildren(...state.answer.warnings.map((warning) => note(warning, policy)));
  });
}

/**
 * @param {Warning} warning
 * @param {"zero" | "nan" | "uniform"} policy
 */
function note(warning, policy) {
  const rows = warning.code === "fully_masked_rows" && warning.rows ? blindRows(warning.rows) : null;
  if (!rows) return h("p", { class: "warning", data: { code: warning.code }, text: serverText(warning.message) });
  return h("div", { class: "warning", data: { code: warning.code } }, [
    ...rows.map((text) => h("strong", { text })),
    h("span", { text: `${t("warning.frameworks", { policy: t(`advanced.fullyMasked.${policy}`) })} ${t("warning.policy")}` }),
  ]);
}

/**
 * One line a sequence, whichever heads the rows are blind in.
 * @param {number[][]} rows [batch, head, query]
 */
function blindRows(rows) {
  /** @type {Map<number, Set<number>>} */
  const queries = new Map();
  for (const [batch, , query] of rows) queries.set(batch, (queries.get(batch) ?? new Set()).add(query));
  return [...queries].map(([batch, found]) => {
    const list = [...found].sort((one, other) => one - other).join(", ");
    const noun = t(found.size === 1 ? "warning.query" : "warning.queries", { rows: list });
    return t("warning.rows", { batch, rows: noun, queries: "" }).replace(/\s+/g, " ");
  });
}
