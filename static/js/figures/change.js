/** What a new figure changes against the one on show: often nothing, and often only cells' colours and the hatching. */

/** @typedef {{data: any[], layout: Record<string, any>}} Drawing */

/**
 * @param {Drawing} before
 * @param {Drawing} after
 * @returns {"none" | "cells" | "all"}
 */
export function changeOf(before, after) {
  const [{ shapes: hatched = [], ...frame }, { shapes = [], ...layout }] = [before.layout, after.layout];
  if (before.data.length !== after.data.length || !same(frame, layout) || !same(hatched.map(pathless), shapes.map(pathless))) return "all";
  let cells = !same(hatched, shapes);
  for (const [index, { z, ...trace }] of after.data.entries()) {
    const { z: shown, ...known } = before.data[index];
    if (!same(known, trace) || z?.length !== shown?.length || z?.[0]?.length !== shown?.[0]?.length) return "all";
    cells ||= !same(shown, z);
  }
  return cells ? "cells" : "none";
}

/** @param {any} shape */
function pathless({ path, ...shape }) {
  return { ...shape, drawn: typeof path };
}

/**
 * @param {any} one
 * @param {any} other
 * @returns {boolean} whether both hold the same values
 */
export function same(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (ArrayBuffer.isView(one) || Array.isArray(one)) return sameList(one, other);
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => same(one[name], other[name]));
}

/**
 * @param {any} one
 * @param {any} other
 */
function sameList(one, other) {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (!same(one[index], other[index])) return false;
  }
  return true;
}
