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
