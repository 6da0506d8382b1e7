/** From a stage's formula as the server says it to TeX; what is not known is set upright. */

const SYMBOLS = /** @type {Record<string, string>} */ ({
  X: "X",
  memory: "M",
  past_q: "q_{\\mathrm{past}}",
  past_k: "k_{\\mathrm{past}}",
  past_v: "v_{\\mathrm{past}}",
  kept: "\\mathrm{kept}",
  weights: "\\mathrm{weights}",
  dropped_weights: "\\mathrm{dropped}",
  scores: "\\mathrm{scores}",
  allowed: "\\mathrm{allowed}",
  inf: "\\infty",
  p: "p",
});
const WORD = /^[A-Za-z_]+/;
const TOKENS = /k\^T|[A-Za-z_]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?|<=|>=|\s+|./g;

/** Phrases that are set as a whole, longest first. */
const PHRASES = /** @type {[RegExp, string][]} */ ([
  [/q k\^T \/ sqrt\((\d+)\)/g, "⟦q\\,k^{\\top}/\\sqrt{$1}⟧"],
  [/q k\^T \* ([^\s)⟦]+)/g, "⟦q\\,k^{\\top}\\cdot $1⟧"],
  [/q k\^T/g, "⟦q\\,k^{\\top}⟧"],
  [/softmax over keys\(masked_scores\)/g, "⟦\\operatorname{softmax}_{\\mathrm{keys}}(\\mathrm{masked})⟧"],
  [/log\(sum over keys of exp\(masked_scores\)/g, "⟦\\log\\bigl(\\textstyle\\sum_{\\mathrm{keys}} e^{\\mathrm{masked}}⟧"],
  [/ \+ exp\(sink\)\)$/g, "⟦{}+e^{\\mathrm{sink}}\\bigr)⟧"],
  [/⟧\)$/g, "\\bigr)⟧"],
  [/weights \* kept \/ \(1 - p\)/g, "⟦\\mathrm{weights}\\odot\\mathrm{kept}/(1-p)⟧"],
  [/ \* allowed/g, "⟦{}\\odot\\mathrm{allowed}⟧"],
  [/concat\(heads\)/g, "⟦\\operatorname{concat}(z)⟧"],
  [/ where allowed, else (-?[\w.+-]+)/g, "⟦\\text{ where allowed,}\\allowbreak\\text{ else }$1⟧"],
]);

/**
 * @param {string} name of the stage
 * @param {string} formula
 */
export function texOf(name, formula) {
  if (name === "allowed") return String.raw`\text{${escaped(formula)}}`;
  const marked = PHRASES.reduce((text, [phrase, tex]) => text.replace(phrase, (/** @type {any[]} */ ...found) => filled(tex, found)), cappedOf(formula));
  return marked
    .split(/⟦|⟧/)
    .map((part, index) => (index % 2 ? part : plainTex(part)))
    .join("");
}

/**
 * The softcap c·tanh(s / c), whatever s is.
 * @param {string} formula
 */
function cappedOf(formula) {
  return formula.replace(/^(\S+) tanh\((.*) \/ \1\)/, (_, cap, inner) => `⟦${cap}\\,\\tanh\\Bigl(⟧${inner}⟦\\,/\\,${cap}\\Bigr)⟧`);
}

/**
 * @param {string} tex
 * @param {any[]} found
 */
function filled(tex, found) {
  const number = String(found[1]).replace("inf", "\\infty ").replace(/e([+-]?)0*(\d+)/, "\\times 10^{$1$2}").replace("^{+", "^{");
  return tex.replaceAll("$1", number);
}

/** @param {string} text */
function plainTex(text) {
  return (text.match(TOKENS) ?? []).map(tokenTex).join("");
}

/** @param {string} token */
function tokenTex(token) {
  if (/^\s+$/.test(token)) return "\\,";
  if (token === "<=") return "\\le ";
  if (token === ">=") return "\\ge ";
  if (token === "*") return "\\cdot ";
  if (!WORD.test(token)) return escaped(token);
  if (SYMBOLS[token]) return `${SYMBOLS[token]} `;
  const [letter, below] = token.split("_");
  if (letter.length === 1) return below ? `${letter}_{${below}}` : letter;
  return `\\operatorname{${letter}}${below ? `_{${below}}` : ""}`;
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[\\#$%&_{}^~]/g, (sign) => (sign === "\\" ? "\\backslash " : `\\${sign}`));
}
