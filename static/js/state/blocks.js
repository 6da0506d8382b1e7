/** Edits of one grid: rows are tokens, columns are dimensions. Each returns a new block. */

/** @typedef {import("./types.js").Block} Block */

/**
 * @param {Block} block
 * @param {number} row
 * @param {number} column -1 for the label
 * @param {string} text
 * @returns {Block}
 */
export function setCell(block, row, column, text) {
  return block.map((item, index) => {
    if (index !== row) return item;
    if (column < 0) return { ...item, label: text };
    return { ...item, cells: item.cells.map((cell, place) => (place === column ? text : cell)) };
  });
}

/**
 * A new token of zeros before `at`.
 * @param {Block} block
 * @param {number} at
 * @returns {Block}
 */
export function insertRow(block, at) {
  const cells = (block[0]?.cells ?? ["0"]).map(() => "0");
  return [...block.slice(0, at), { label: "", cells }, ...block.slice(at)];
}

/**
 * @template T
 * @param {T[]} items
 * @param {number} at
 * @returns {T[]}
 */
export function removeAt(items, at) {
  return items.filter((_, index) => index !== at);
}

/**
 * @template T
 * @param {T[]} items
 * @param {number} from
 * @param {number} to
 * @returns {T[]}
 */
export function move(items, from, to) {
  const rest = removeAt(items, from);
  return [...rest.slice(0, to), items[from], ...rest.slice(to)];
}

/**
 * Cut or fill with zeros to a number of dimensions.
 * @param {Block} block
 * @param {number} width
 * @returns {Block}
 */
export function resize(block, width) {
  return block.map((row) => ({
    ...row,
    cells: Array.from({ length: width }, (_, column) => row.cells[column] ?? "0"),
  }));
}

/**
 * Lay pasted cells over the grid from (row, column), growing it where they reach beyond.
 * Pasted into the label column, the first pasted column is labels.
 * @param {Block} block
 * @param {number} row
 * @param {number} column
 * @param {import("../paste.js").Pasted} pasted
 * @returns {Block}
 */
export function paste(block, row, column, pasted) {
  const { labels, cells } = column < 0 && !pasted.labels ? firstColumnAsLabels(pasted) : pasted;
  const left = Math.max(column, 0);
  const width = Math.max(block[0]?.cells.length ?? 0, left + (cells[0]?.length ?? 0));
  let grown = resize(block, width);
  while (grown.length < row + cells.length) grown = insertRow(grown, grown.length);
  return grown.map((item, index) => {
    const source = cells[index - row];
    if (!source) return item;
    const label = labels?.[index - row] ?? item.label;
    return { label, cells: item.cells.map((cell, place) => source[place - left] ?? cell) };
  });
}

/**
 * @param {import("../paste.js").Pasted} pasted
 * @returns {import("../paste.js").Pasted}
 */
function firstColumnAsLabels({ cells }) {
  return { labels: cells.map((row) => row[0]), cells: cells.map((row) => row.slice(1)) };
}
