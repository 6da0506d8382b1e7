/** Where the heads stand in the drawing of who reads what, and which of them have room for their name. */

export const MAP_WIDTH = 328;
const WIDEST_PITCH = 44;
const CHARACTER_PX = 7.2;
/** Between two names beside each other. */
const LEAST_GAP_PX = 6;
/** Groups from one name to the next. */
const STEPS = [1, 2, 4, 5, 8, 10, 16, 20, 32];

/**
 * @typedef {object} Row of heads
 * @property {number[]} x their middles
 * @property {number} wide a box
 * @property {boolean} inside whether every name fits its box; else the names stand outside
 * @property {{head: number, x: number}[]} names with the middle of each
 */

/**
 * @param {number} H query heads
 * @param {number} K KV heads
 * @returns {{total: number, queries: Row, kvs: Row}} total width in pixels
 */
export function headMapOf(H, K) {
  const pitch = Math.min(WIDEST_PITCH, MAP_WIDTH / H);
  const total = pitch * H;
  const queries = rowOf("H", H, total, Math.min(28, Math.max(pitch * 0.7, pitch - 2)), H / K);
  const kvs = rowOf("KV", K, total, Math.min(44, Math.max(queries.wide, total / K - 4)), 1);
  return { total, queries, kvs };
}

/**
 * @param {string} letters
 * @param {number} count
 * @param {number} total
 * @param {number} wide
 * @param {number} group heads of which the first is named
 * @returns {Row}
 */
function rowOf(letters, count, total, wide, group) {
  const x = Array.from({ length: count }, (_, head) => ((head + 0.5) * total) / count);
  const inside = wide >= nameWidth(letters, count - 1);
  /** @param {number} head */
  const name = (head) => ({ head, x: Math.max(nameWidth(letters, head) / 2, Math.min(total - nameWidth(letters, head) / 2, x[head])) });
  const step = STEPS.map((groups) => groups * group).find((heads) => (heads * total) / count >= nameWidth(letters, count - 1) + LEAST_GAP_PX) ?? count;
  const every = x.map((_, head) => head).filter((head) => head % (inside ? 1 : step) === 0);
  return { x, wide, inside, names: inside ? every.map(name) : withLast(every.map(name), name(count - 1), nameWidth(letters, count - 1) + LEAST_GAP_PX) };
}

/**
 * The last head is named too, if need be instead of the one before.
 * @param {{head: number, x: number}[]} names
 * @param {{head: number, x: number}} last
 * @param {number} apart pixels that two names need
 */
function withLast(names, last, apart) {
  return [...names.filter(({ head, x }) => head === 0 || last.x - x >= apart), ...(last.head > 0 ? [last] : [])];
}

/**
 * @param {string} letters
 * @param {number} head
 */
function nameWidth(letters, head) {
  return `${letters}${head}`.length * CHARACTER_PX;
}
