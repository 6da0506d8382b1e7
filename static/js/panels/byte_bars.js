/** Bytes of the KV cache as bars, one for each number of KV heads; the run's own stands out. */

import { distinctKinds } from "../api/costs.js";
import { h } from "../dom.js";
import { t } from "../strings.js";
import { bytesText, percentText, wholeText } from "../units.js";

/**
 * @param {HTMLElement} element
 * @param {{H: number, K: number}} heads of the run
 * @param {import("../api/costs.js").ByKind} bytes
 * @param {number} most bytes of a whole bar
 */
export function showByteBars(element, { H, K }, bytes, most) {
  const siblings = { mha: { num_kv_heads: H }, gqa: { num_kv_heads: K }, mqa: { num_kv_heads: 1 } };
  const kinds = distinctKinds(/** @type {any} */ (siblings));
  element.replaceChildren(...kinds.map((kind) => bar(kind, H, K, bytes[kind.kind], most)));
}

/**
 * @param {{kind: "mha" | "gqa" | "mqa", K: number}} kind
 * @param {number} H
 * @param {number} own
 * @param {number} bytes
 * @param {number} most
 */
function bar({ kind, K }, H, own, bytes, most) {
  const name = t(`cache.${kind}`, { K });
  const line = h("div", { class: `byte-bar${K === own ? " is-own" : ""}`, title: t("cache.exact", { bytes: wholeText(bytes) }), data: { kind } }, [
    h("span", { class: "byte-name", text: K === own ? `${name} · ${t("cache.own")}` : name }),
    h("span", { class: "bar", "aria-hidden": "true" }),
    h("span", { class: "byte-size", text: bytesText(bytes) }),
    h("span", { class: "byte-share", text: K === H ? "" : t("cache.share", { K, H, share: percentText(K / H) }) }),
  ]);
  line.style.setProperty("--share", String(most ? bytes / most : 0));
  return line;
}
