/** Which cell an event is about, which cell a key leads to, and which page of a large grid shows it. */

/** @param {EventTarget | null} target */
export function cellOf(target) {
  if (!(target instanceof HTMLInputElement) || target.dataset.row === undefined) return null;
  return { input: target, ...placeOf(target) };
}

/** @param {HTMLInputElement} input */
export function placeOf(input) {
  return { row: Number(input.dataset.row), column: Number(input.dataset.col) };
}

/**
 * Up, down and Enter always move; left and right only from the end of the text, so that they edit.
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} input
 */
export function stepOf(event, input) {
  const whole = input.selectionStart === 0 && input.selectionEnd === input.value.length;
  const atStart = whole || (input.selectionEnd === 0 && input.selectionStart === 0);
  const atEnd = whole || input.selectionStart === input.value.length;
  if (event.key === "ArrowUp" || (event.key === "Enter" && event.shiftKey)) return { rows: -1, columns: 0 };
  if (event.key === "ArrowDown" || event.key === "Enter") return { rows: 1, columns: 0 };
  if (event.key === "ArrowLeft" && atStart) return { rows: 0, columns: -1 };
  if (event.key === "ArrowRight" && atEnd) return { rows: 0, columns: 1 };
  return null;
}

/**
 * @param {number} index
 * @param {number} size
 * @param {number} start kept while the index is on its page
 */
export function pageOf(index, size, start) {
  if (index < 0 || (index >= start && index < start + size)) return index < 0 ? 0 : start;
  return Math.floor(index / size) * size;
}

/**
 * @param {number} length
 * @param {number} size
 */
export function lastPage(length, size) {
  return Math.floor((length - 1) / size) * size;
}

/**
 * @param {number} from
 * @param {number} to
 */
export function range(from, to) {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
