/** Which heads the overview shows, and in which order: by a number that the server gave each. */

/** @typedef {import("../api/answer.js").Answer} Answer */
/** @typedef {Pick<import("../state/types.js").View, "batch" | "sortHeads" | "descending" | "from" | "to">} Wish */

/**
 * @param {Answer} answer
 * @param {string} name
 * @param {number} batch
 * @returns {ArrayLike<number> | null} one a head; null while it has not come
 */
export function statistic({ tensors }, name, batch) {
  const found = tensors[name];
  if (!found) return null;
  const [B, H] = found.shape;
  const start = Math.min(batch, B - 1) * H;
  return found.data.subarray(start, start + H);
}

/**
 * Heads without a number (NaN) come last, and are never filtered out.
 * @param {Answer} answer
 * @param {Wish} wish
 * @returns {number[]}
 */
export function headOrder(answer, { batch, sortHeads, descending, from, to }) {
  const heads = Array.from({ length: answer.layout.num_heads }, (_, head) => head);
  const values = sortHeads === "head" ? null : statistic(answer, sortHeads, batch);
  if (!values) return descending && sortHeads === "head" ? heads.reverse() : heads;
  const [least, most] = [limit(from, -Infinity), limit(to, Infinity)];
  const kept = heads.filter((head) => !(values[head] < least || values[head] > most));
  return kept.sort((one, other) => compared(values[one], values[other], descending) || one - other);
}

/**
 * @param {number} one
 * @param {number} other
 * @param {boolean} descending
 */
function compared(one, other, descending) {
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  return descending ? other - one : one - other;
}

/**
 * @param {string} text
 * @param {number} none
 */
function limit(text, none) {
  const value = Number(text.trim().replace(",", ".").replace("−", "-"));
  return text.trim() === "" || Number.isNaN(value) ? none : value;
}
