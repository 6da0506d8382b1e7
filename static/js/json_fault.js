/** What is wrong with a text that should be a specification. */

/** Far more than any field has; walking much deeper values breaks a browser's stack. */
const MOST_LEVELS = 64;

/**
 * Level by level, so that the looking itself goes no deeper.
 * @param {unknown} value as JSON.parse gives it
 */
export function isTooDeep(value) {
  let level = [value];
  for (let depth = 0; depth <= MOST_LEVELS && level.length > 0; depth += 1) {
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return level.length > 0;
}

/** Strings, then numbers, then the marks that open, close and part. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\],:]/g;

/**
 * What JSON.parse lets pass and the server does not: a key that stands twice in its object, a number that
 * becomes infinite. The first of them, or null.
 * @param {string} text that JSON.parse reads
 * @returns {{kind: "twice" | "tooLarge", path: string, text: string} | null}
 */
export function hiddenFault(text) {
  /** @type {{keys: Set<string> | null, at: string}[]} */
  const open = [];
  const tokens = text.match(TOKENS) ?? [];
  for (const [index, token] of tokens.entries()) {
    const here = open[open.length - 1];
    const path = () => open.map(({ keys, at }, depth) => (keys === null ? `[${at}]` : depth ? `.${at}` : at)).join("");
    if (token === "{") open.push({ keys: new Set(), at: "" });
    else if (token === "[") open.push({ keys: null, at: "0" });
    else if (token === "}" || token === "]") open.pop();
    else if (token === "," && here?.keys === null) here.at = String(Number(here.at) + 1);
    else if (tokens[index + 1] === ":" && here?.keys) {
      here.at = JSON.parse(token);
      if (here.keys.has(here.at)) return { kind: "twice", path: path(), text: token };
      here.keys.add(here.at);
    } else if (/^[-\d]/.test(token) && !Number.isFinite(Number(token))) return { kind: "tooLarge", path: path(), text: token };
  }
  return null;
}

/**
 * Where it stops being JSON, from the browser's own complaint, whose wording is in no chosen language.
 * @param {SyntaxError} error of JSON.parse
 * @param {string} text what was parsed
 * @returns {{line: number, column: number}} counted from 1
 */
export function placeOfFault({ message }, text) {
  const said = message.match(/line (\d+) column (\d+)/);
  if (said) return { line: Number(said[1]), column: Number(said[2]) };
  const position = message.match(/position (\d+)/)?.[1];
  const before = text.slice(0, position === undefined ? text.length : Number(position)).split("\n");
  return { line: before.length, column: before[before.length - 1].length + 1 };
}
