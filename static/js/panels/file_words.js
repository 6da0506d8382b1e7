/** Sizes, hashes and shapes of files in words. */

const UNITS = ["bytes", "KB", "MB", "GB"];

/**
 * Three digits, in powers of 1024, as file managers count.
 * @param {number} count
 */
export function bytes(count) {
  const power = count < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(count) / 10));
  return `${Number((count / 1024 ** power).toPrecision(3))} ${UNITS[power]}`;
}

/** @param {string} id the whole SHA-256 */
export function short(id) {
  return id.slice(0, 8);
}

/** @param {number[]} shape */
export function shapeText(shape) {
  return `[${shape.join(", ")}]`;
}
