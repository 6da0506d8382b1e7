/** Building and finding elements; text is always set as text. */

/**
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/**
 * @typedef {{class?: string, text?: string, on?: Record<string, (event: any) => void>, data?: Record<string, string | number>} & Record<string, any>} Attributes
 */

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, { class: className, text, on = {}, data = {}, ...attributes } = {}, children = []) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(data)) element.dataset[name] = String(value);
  for (const [name, handler] of Object.entries(on)) element.addEventListener(name, handler);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/**
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {Node[]} [children]
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, children = []) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...children);
  return element;
}

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes false and null leave an attribute out
 */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

/**
 * @template T
 * @param {T | undefined | null} value
 * @param {string} what
 * @returns {T}
 */
export function required(value, what) {
  if (value === undefined || value === null) throw new Error(`missing: ${what}`);
  return value;
}
