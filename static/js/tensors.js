/** Tensors on the wire: {dtype, bdata, shape} to typed arrays, and typed arrays to rows. */

/** @typedef {Float32Array | Float64Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array} Numbers */
/** @typedef {{shape: number[], data: Numbers, dtype: string}} Tensor */

/** @type {Record<string, any>} */
const ARRAYS = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  u1: Uint8Array,
  i2: Int16Array,
  u2: Uint16Array,
  i4: Int32Array,
  u4: Uint32Array,
};

/**
 * @param {unknown} value
 * @returns {value is {dtype: string, bdata: string | Uint8Array, shape: string | number[]}}
 */
export function isTyped(value) {
  return typeof value === "object" && value !== null && "bdata" in value && "dtype" in value;
}

/**
 * @param {{dtype: string, bdata: string | Uint8Array, shape?: string | number[]}} value base64, or the bytes themselves
 * @returns {Tensor}
 */
export function decodeTyped(value) {
  const bytes = typeof value.bdata === "string" ? bytesOf(value.bdata) : value.bdata;
  const data = value.dtype === "f2" ? halves(bytes) : numbers(value.dtype, bytes);
  const { shape = [data.length] } = value;
  const sizes = typeof shape === "string" ? shape.split(",").map(Number) : shape;
  return { shape: sizes, data, dtype: value.dtype === "f2" ? "f4" : value.dtype };
}

/**
 * @param {string} dtype
 * @param {Uint8Array} bytes
 * @returns {Numbers}
 */
function numbers(dtype, bytes) {
  const Kind = ARRAYS[dtype];
  if (!Kind) throw new TypeError(`unknown dtype ${dtype}; known are ${Object.keys(ARRAYS).join(" ")} f2`);
  return new Kind(bytes.buffer, bytes.byteOffset, bytes.byteLength / Kind.BYTES_PER_ELEMENT);
}

/**
 * Newer browsers have a decoder of their own, ten times as fast.
 * @param {string} text
 * @returns {Uint8Array}
 */
function bytesOf(text) {
  const { fromBase64 } = /** @type {any} */ (Uint8Array);
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/**
 * IEEE half precision, which JavaScript has no array for, widened to float32.
 * @param {Uint8Array} bytes
 */
function halves(bytes) {
  return Float32Array.from(/** @type {Uint16Array} */ (numbers("u2", bytes)), halfToNumber);
}

/** @param {number} bits */
function halfToNumber(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/**
 * One head of a [B][H][T][S] tensor as rows that share its memory. A tensor with one head
 * (or one batch item) stands for all of them.
 * @param {Tensor} tensor
 * @param {number} batch
 * @param {number} head
 * @returns {Numbers[]}
 */
export function headRows(tensor, batch, head) {
  const [B, H, T, S] = tensor.shape;
  const start = (Math.min(batch, B - 1) * H + Math.min(head, H - 1)) * T * S;
  return Array.from({ length: T }, (_, row) => tensor.data.subarray(start + row * S, start + (row + 1) * S));
}

/**
 * @param {Tensor} tensor
 * @returns {any} nested lists of numbers
 */
export function nested(tensor) {
  if (tensor.data.length === 0) return [];
  let level = Array.from(tensor.data, Number);
  for (const size of tensor.shape.slice(1).reverse()) level = /** @type {any} */ (chunks(level, size));
  return level;
}

/**
 * @template T
 * @param {T[]} items
 * @param {number} size
 * @returns {T[][]}
 */
function chunks(items, size) {
  const parts = [];
  for (let start = 0; start < items.length; start += size) parts.push(items.slice(start, start + size));
  return parts;
}
