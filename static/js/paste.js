/** A block of text from a spreadsheet, a CSV file or a Python prompt, as rows of cells. */

import { isNumeric } from "./numbers.js";

/** @typedef {{labels: string[] | null, cells: string[][]}} Pasted */

/** What Python prints or people write before the brackets: x = torch.tensor( */
const BEFORE_LIST = /^\s*(?:Parameter containing:\s*)?(?:[a-z_][\w.]*\s*=\s*)?(?:[a-z_][\w.]*\s*\(\s*)?(?=\[)/i;

/** And after them: , dtype=float32, device='cuda:0') */
const AFTER_LIST = /(?:,[^[\]]*)?\)[\s;]*$/;

/**
 * @param {string} text
 * @returns {Pasted | null} null for a single value or an unreadable list, which belong into the cell as they are
 */
export function parsePaste(text) {
  if (BEFORE_LIST.test(text)) return bracketed(text);
  const rows = rowsOf(text.replace(/\r\n?/g, "\n").replace(/\n+$/, ""));
  if (rows.length === 0 || (rows.length === 1 && rows[0].length === 1)) return null;
  return pastedOf(rows);
}

/**
 * @param {string[][]} rows
 * @returns {Pasted}
 */
function pastedOf(rows) {
  const body = hasHeader(rows) ? rows.slice(1) : rows;
  const labelled = body.every((row) => row.length > 1) && body.some((row) => !isNumeric(row[0]) && row[0] !== "");
  const width = Math.max(...body.map((row) => row.length));
  const full = body.map((row) => [...row, ...Array(width - row.length).fill("")]);
  return labelled
    ? { labels: full.map((row) => row[0]), cells: full.map((row) => row.slice(1)) }
    : { labels: null, cells: full };
}

/** @param {string} text */
function rowsOf(text) {
  if (text.trim() === "") return [];
  const separator = separatorOf(text);
  const rows = separator === " " ? bySpaces(text) : fields(text, separator);
  return rows.map((row) => row.map((cell) => plainNumber(cell.trim(), separator)));
}

/**
 * A list as JSON or as Python prints it: brackets say the rows.
 * @param {string} text
 * @returns {Pasted | null} null where a bracket is missing or something is neither a number nor quoted
 */
function bracketed(text) {
  const [before] = text.match(BEFORE_LIST) ?? [""];
  const list = text.slice(before.length).replace(before.includes("(") ? AFTER_LIST : "", "").trim();
  const outer = list.replace(/\[[^[\]]*\]/g, "");
  if (!/^[[\],\s]*$/.test(outer) || outer.split("[").length !== outer.split("]").length) return null;
  const rows = (list.match(/\[[^[\]]*\]/g) ?? []).map((row) => row.slice(1, -1).match(/"[^"]*"|'[^']*'|[^\s,]+/g) ?? []);
  const readable = rows.length > 0 && rows.every((row) => row.length > 0 && row.every((cell) => isNumeric(cell) || /^["']/.test(cell)));
  return readable ? pastedOf(rows.map((row) => row.map((cell) => cell.replace(/^(["'])(.*)\1$/, "$2")))) : null;
}

/** @param {string} text */
function bySpaces(text) {
  return text.split("\n").map((line) => line.trim().split(/\s+/));
}

/**
 * A lone comma in a lone cell is a decimal comma: "0,5" is one number, "0,5,1" are three.
 * @param {string} text
 * @returns {"\t" | ";" | "," | " "}
 */
function separatorOf(text) {
  if (text.includes("\t")) return "\t";
  if (text.includes(";")) return ";";
  const commas = text.split(",").length - 1;
  const several = text.includes("\n") || commas > 1 || /,\s/.test(text);
  if (commas > 0) return several ? "," : "\t";
  return looksSpaced(text) ? " " : "\t";
}

/** @param {string} text */
function looksSpaced(text) {
  return bySpaces(text).every((row) => row.slice(1).every(isNumeric)) && !/^\s*\S+\s*$/.test(text);
}

/**
 * Fields with the quoting of RFC 4180: "a ""b""" is a "b", and a quoted field may hold anything.
 * @param {string} text
 * @param {string} separator
 */
function fields(text, separator) {
  /** @type {string[][]} */
  const rows = [[]];
  let field = "";
  let quoted = false;
  const close = () => {
    rows[rows.length - 1].push(field);
    field = "";
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (quoted && character === '"' && text[index + 1] === '"') {
      field += '"';
      index += 1;
    } else if (character === '"' && (quoted || field === "")) quoted = !quoted;
    else if (!quoted && character === separator) close();
    else if (!quoted && character === "\n") {
      close();
      rows.push([]);
    } else field += character;
  }
  close();
  return rows;
}

/**
 * Decimal commas and grouping as spreadsheets in much of the world write them: 1.234,5 is 1234.5.
 * @param {string} cell
 * @param {string} separator
 */
function plainNumber(cell, separator) {
  if (separator === "," || !/^[+-−]?[\d.]*,\d+(e[+-]?\d+)?$/i.test(cell)) return cell;
  return cell.replaceAll(".", "").replace(",", ".");
}

/**
 * A first row without numbers over rows that have some, in the columns that are numbers.
 * @param {string[][]} rows
 */
function hasHeader(rows) {
  const [first, ...rest] = rows;
  const numeric = rest[0]?.flatMap((cell, index) => (isNumeric(cell) ? [index] : [])) ?? [];
  return numeric.length > 0 && numeric.every((index) => !isNumeric(first[index] ?? ""));
}
