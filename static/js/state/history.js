/** Steps back and forward. A burst of typing in one field, or one stroke of the pointer, is one step. */

const MOST_STEPS = 100;
const BURST_MS = 1000;

/**
 * @template T
 * @param {number} [most]
 */
export function createHistory(most = MOST_STEPS) {
  /** @type {T[]} */
  let past = [];
  /** @type {T[]} */
  let future = [];
  let last = { key: "", time: -Infinity };

  return {
    /**
     * @param {T} before what stood there until this change
     * @param {string} key changes with the same key that follow closely are one step; "" is always a step
     * @param {number} time in milliseconds
     */
    record(before, key, time) {
      const burst = key !== "" && key === last.key && time - last.time < BURST_MS;
      if (!burst) past = [...past, before].slice(-most);
      future = [];
      last = { key, time };
    },
    /** @param {T} now @returns {T | null} */
    undo: (now) => turn(past, future, now),
    /** @param {T} now @returns {T | null} */
    redo: (now) => turn(future, past, now),
    canUndo: () => past.length > 0,
    canRedo: () => future.length > 0,
  };

  /**
   * @param {T[]} from
   * @param {T[]} to
   * @param {T} now
   */
  function turn(from, to, now) {
    const next = from.pop();
    if (next === undefined) return null;
    to.push(now);
    last = { key: "", time: -Infinity };
    return next;
  }
}

/**
 * The one place where two states differ; null where they differ in several.
 * @param {any} before
 * @param {any} after
 * @returns {{path: string, typed: boolean} | null} typed: text became other text
 */
export function placeOfChange(before, after) {
  if (!isTree(before) || !isTree(after)) return { path: "", typed: typeof before === "string" && typeof after === "string" };
  const names = Object.keys(after);
  if (names.length !== Object.keys(before).length) return null;
  const changed = names.filter((name) => !equal(before[name], after[name]));
  if (changed.length !== 1) return null;
  const inner = placeOfChange(before[changed[0]], after[changed[0]]);
  return inner && { path: inner.path ? `${changed[0]}.${inner.path}` : changed[0], typed: inner.typed };
}

/** @param {any} value */
function isTree(value) {
  return typeof value === "object" && value !== null;
}

/**
 * @param {any} one
 * @param {any} other
 * @returns {boolean}
 */
function equal(one, other) {
  if (one === other) return true;
  if (!isTree(one) || !isTree(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => equal(one[name], other[name]));
}
