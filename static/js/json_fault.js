/** Where a text stops being JSON, from the browser's own complaint, whose wording is in no chosen language. */

/**
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
