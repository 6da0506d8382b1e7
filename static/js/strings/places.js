/** What a piece of the state is called on the page. */

import { t } from "../strings.js";

/** @typedef {import("../strings.js").Key} Key */

/** By the beginning of its dotted path; the first that fits. @type {[RegExp, string][]} */
const NAMES = [
  [/^input\.(x|memory|q|k|v)\b/, "grid.$1"],
  [/^input\.sequences/, "input.vectors"],
  [/^input\.given/, "input.heads"],
  [/^(input|heads|masks|also)$/, "$1.title"],
  [/^(input|heads|also)\./, "$1.title"],
  [/^masks\.(causal|padding|window|prefix|documents|drawn)\b/, "masks.$1"],
  [/^settings\.(scale|softcap|fill|projection|rope|alibi|sinks|dropout|dtype)\b/, "advanced.$1"],
  [/^settings\.mask_order/, "advanced.order"],
  [/^settings\.fully_masked/, "advanced.fullyMasked"],
  [/^settings\.qk_norm/, "advanced.norm"],
  [/^settings/, "advanced.title"],
  [/^compare\b/, "tabs.compare"],
  [/^view\.theme/, "header.theme"],
  [/^view\.language/, "header.language"],
  [/^view\b/, "place.view"],
  [/^cell\b/, "place.cell"],
  [/^$/, "place.document"],
];

/**
 * @param {string} path as the state is kept, "document.input.sequences", or within the document
 * @returns {string} in the language on show; what has no name is "another part"
 */
export function placeName(path) {
  const within = path.replace(/^document\.?/, "");
  const [pattern, key] = NAMES.find(([start]) => start.test(within)) ?? [/^.*$/, "place.other"];
  return t(/** @type {Key} */ (within.match(pattern)?.[0].replace(pattern, key)));
}
