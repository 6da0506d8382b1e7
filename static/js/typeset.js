/** The one file that knows KaTeX: formulas set in type, from our own server. */

const SOURCE = new URL("../vendor/katex/katex.min.js", import.meta.url).href;
const STYLE = new URL("../vendor/katex/katex.min.css", import.meta.url).href;

/** @type {Promise<any> | null} */
let loading = null;

/** Loaded after the first picture, for formulas can be read as plain text until then. */
function loadKatex() {
  loading ??= new Promise((resolve, reject) => {
    const style = document.createElement("link");
    style.rel = "stylesheet";
    style.href = STYLE;
    const script = document.createElement("script");
    script.src = SOURCE;
    script.addEventListener("load", () => resolve(/** @type {any} */ (globalThis).katex));
    script.addEventListener("error", () => reject(new Error(`could not load ${SOURCE}`)));
    document.head.append(style, script);
  });
  return loading;
}

/**
 * The formula in type; the plain text stays where it cannot be set.
 * @param {HTMLElement} element
 * @param {string} tex
 * @param {string} plain
 */
export async function typeset(element, tex, plain) {
  if (element.dataset.tex === tex) return;
  if (!element.textContent) element.textContent = plain;
  element.dataset.tex = tex;
  const katex = await loadKatex().catch(() => null);
  if (!katex || element.dataset.tex !== tex) return;
  try {
    katex.render(tex, element, { throwOnError: true, output: "htmlAndMathml" });
  } catch {
    element.textContent = plain;
  }
}

/**
 * Words instead of a formula.
 * @param {HTMLElement} element
 * @param {string} text
 */
export function sayPlainly(element, text) {
  delete element.dataset.tex;
  element.textContent = text;
}
