/** Reading and replacing one value deep inside the state, without touching the original. */

/**
 * @param {any} value
 * @param {string} path dotted, as in "masks.window.left"
 * @returns {any}
 */
export function getPath(value, path) {
  return path.split(".").reduce((inner, key) => inner?.[key], value);
}

/**
 * @template T
 * @param {T} value
 * @param {string} path
 * @param {unknown} replacement
 * @returns {T}
 */
export function setPath(value, path, replacement) {
  const [key, ...rest] = path.split(".");
  const inner = rest.length ? setPath(/** @type {any} */ (value)[key], rest.join("."), replacement) : replacement;
  if (Array.isArray(value)) {
    return /** @type {any} */ (value.map((item, index) => (String(index) === key ? inner : item)));
  }
  return { ...value, [key]: inner };
}
