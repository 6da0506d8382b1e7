/** Sizes, hashes and shapes of files, and what was wrong with one, in words. */

import { problemText, serverText } from "../strings/server.js";

const UNITS = ["B", "KB", "MB", "GB"];

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

/** @param {import("../state/types.js").Problem} problem */
export function refusalText(problem) {
  const { errors } = problem;
  return errors.length ? errors.map(({ message }) => serverText(message)).join(" ") : problemText(problem);
}
