/** Python as coloured pieces, for reading: comments, texts, numbers and keywords. Nothing is understood beyond that. */

/** @typedef {{kind: "comment" | "text" | "number" | "keyword" | "plain", text: string}} Piece */

const PIECES = new RegExp(
  [
    /(?<comment>#[^\n]*)/,
    /(?<text>"""[\s\S]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/,
    /(?<keyword>\b(?:and|as|assert|class|def|else|False|for|from|if|import|in|is|lambda|None|not|or|return|True|with)\b)/,
    /(?<number>(?<![\w.])\d+\.?\d*(?:e[+-]?\d+)?\b)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/**
 * The pieces put together again are the source.
 * @param {string} source
 * @returns {Piece[]}
 */
export function pythonPieces(source) {
  /** @type {Piece[]} */
  const pieces = [];
  let end = 0;
  for (const found of source.matchAll(PIECES)) {
    if (found.index > end) pieces.push({ kind: "plain", text: source.slice(end, found.index) });
    const [kind] = Object.entries(found.groups ?? {}).find(([, text]) => text !== undefined) ?? ["plain"];
    pieces.push({ kind: /** @type {Piece["kind"]} */ (kind), text: found[0] });
    end = found.index + found[0].length;
  }
  if (end < source.length) pieces.push({ kind: "plain", text: source.slice(end) });
  return pieces;
}
