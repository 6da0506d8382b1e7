/** Numbers as people type them, and as they are shown. Typed text is kept; only its reading is a number. */

const NON_FINITE = new Map([
  ["nan", "NaN"],
  ["inf", "Infinity"],
  ["+inf", "Infinity"],
  ["infinity", "Infinity"],
  ["+infinity", "Infinity"],
  ["∞", "Infinity"],
  ["-inf", "-Infinity"],
  ["-infinity", "-Infinity"],
  ["-∞", "-Infinity"],
  ["−∞", "-Infinity"],
]);

const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^[+-]?\d*,\d+(e[+-]?\d+)?$/i;

/**
 * The JSON value of one typed cell: a number, "NaN" and its kin, or the text itself,
 * so that the server can say what is wrong with it.
 * @param {string} text
 * @returns {number | string}
 */
export function cellValue(text) {
  const trimmed = text.trim().replace(/^−/, "-");
  const value = numberOf(trimmed);
  if (value !== null) return Number.isFinite(value) ? value : text;
  return NON_FINITE.get(trimmed.toLowerCase()) ?? text;
}

/**
 * Infinite where the digits say more than a double holds, as 1e400 does; JSON has no word for that.
 * @param {string} trimmed
 */
function numberOf(trimmed) {
  if (PLAIN.test(trimmed)) return Number(trimmed);
  return DECIMAL_COMMA.test(trimmed) ? Number(trimmed.replace(",", ".")) : null;
}

/** @param {string} text */
export function isNumeric(text) {
  const trimmed = text.trim();
  return numberOf(trimmed.replace(/^−/, "-")) !== null || NON_FINITE.has(trimmed.toLowerCase());
}

/**
 * Integers separated by spaces or commas: one stays a number, several become a list.
 * @param {string} text
 * @returns {number | string | (number | string)[]}
 */
export function numberOrList(text) {
  const parts = text.trim().split(/[\s,;]+/).filter(Boolean);
  if (parts.length <= 1) return cellValue(text.trim());
  return parts.map(cellValue);
}

/**
 * @param {unknown} value
 * @returns {string}
 */
export function textOf(value) {
  if (typeof value === "boolean") return value ? "1" : "0";
  return String(value);
}

/**
 * The shortest decimal that reads back as the same float32.
 * @param {number} value
 * @returns {string}
 */
export function shortestFloat32(value) {
  if (!Number.isFinite(value)) return String(value);
  for (let digits = 1; digits <= 9; digits += 1) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return String(rounded);
  }
  return String(value);
}

/**
 * A whole value for people: full precision, with the proper minus and infinity signs.
 * @param {number} value
 * @param {boolean} single whether the value is a widened float32
 */
export function exact(value, single) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+∞" : "−∞";
  return (single ? shortestFloat32(value) : String(value)).replace(/^-/, "−");
}

/**
 * Three digits for a label with little room.
 * @param {number} value
 */
export function brief(value) {
  const plain = String(Number(value.toPrecision(3)));
  return (plain.length > 7 ? value.toExponential(1) : plain).replace(/^-/, "−");
}
