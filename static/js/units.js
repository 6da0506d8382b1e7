/** Counts and bytes for people: three digits and a unit; the whole number is for the hover. */

const BYTES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const COUNTS = ["", "k", "M", "G", "T", "P", "E"];

/**
 * @param {number} value
 * @param {number} base
 * @param {number} digits that the largest number before the next unit has
 * @param {string[]} units
 */
function scaled(value, base, digits, units) {
  let rest = value;
  let power = 0;
  while (Number(rest.toPrecision(digits)) >= base && power < units.length - 1) {
    rest /= base;
    power += 1;
  }
  const number = power === 0 ? value : rest >= 1000 ? Math.round(rest) : Number(rest.toPrecision(3));
  return `${number} ${units[power]}`.trimEnd();
}

/** @param {number} bytes in powers of 1024 */
export function bytesText(bytes) {
  return scaled(bytes, 1024, 4, BYTES);
}

/** @param {number} count in powers of 1000 */
export function countText(count) {
  return scaled(count, 1000, 3, COUNTS);
}

/** @param {number} value a whole number, its thousands apart */
export function wholeText(value) {
  return value.toLocaleString("en-US");
}

/** @param {number} share of 1 */
export function percentText(share) {
  return `${Number((100 * share).toPrecision(share < 0.1 ? 2 : 3))}%`;
}
