import assert from "node:assert/strict";
import { test } from "node:test";

import { decodeTyped, headRows, nested } from "../../static/js/tensors.js";

/**
 * @param {ArrayBufferView} array
 * @param {string} dtype
 * @param {string} shape
 */
function typed(array, dtype, shape) {
  const bdata = Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
  return { dtype, bdata, shape };
}

test("float32 values come out as they went in, infinities and NaN among them", () => {
  const values = Float32Array.from([0.1, -Infinity, NaN, Infinity, -0, 3]);
  const tensor = decodeTyped(typed(values, "f4", "2,3"));
  assert.deepEqual(tensor.shape, [2, 3]);
  assert.deepEqual(tensor.data, values);
});

test("float64, unsigned bytes and 32-bit integers keep their kind", () => {
  assert.deepEqual(decodeTyped(typed(Float64Array.from([1 / 3]), "f8", "1")).data, Float64Array.from([1 / 3]));
  assert.deepEqual(decodeTyped(typed(Uint8Array.from([0, 1, 1]), "u1", "3")).data, Uint8Array.from([0, 1, 1]));
  assert.deepEqual(decodeTyped(typed(Int32Array.from([-5, 70000]), "i4", "2")).data, Int32Array.from([-5, 70000]));
});

test("half precision is widened: 1, -2, the smallest subnormal, the largest, infinity and NaN", () => {
  const bits = Uint16Array.from([0x3c00, 0xc000, 0x0001, 0x7bff, 0xfc00, 0x7e00]);
  const { data, dtype } = decodeTyped(typed(bits, "f2", "6"));
  assert.equal(dtype, "f4");
  assert.deepEqual([...data], [1, -2, 2 ** -24, 65504, -Infinity, NaN]);
});

test("an unknown type is named, with those that are known", () => {
  assert.throws(() => decodeTyped({ dtype: "c8", bdata: "", shape: "0" }), /unknown dtype c8; known are f4/);
});

test("rows of one head share the tensor's memory and are in reading order", () => {
  const data = Float32Array.from({ length: 2 * 3 * 5 * 7 }, (_, index) => index);
  const tensor = { shape: [2, 3, 5, 7], data, dtype: "f4" };
  const rows = headRows(tensor, 1, 2);
  assert.equal(rows.length, 5);
  assert.deepEqual([...rows[4]], [203, 204, 205, 206, 207, 208, 209]);
  assert.equal(rows[0].buffer, data.buffer);
});

test("one head stands for all where a mask is the same for every head", () => {
  const tensor = { shape: [2, 1, 1, 2], data: Uint8Array.from([1, 0, 0, 1]), dtype: "u1" };
  assert.deepEqual([...headRows(tensor, 1, 6)[0]], [0, 1]);
});

test("nested lists follow the shape", () => {
  const tensor = { shape: [2, 1, 3], data: Float32Array.from([1, 2, 3, 4, 5, 6]), dtype: "f4" };
  assert.deepEqual(nested(tensor), [[[1, 2, 3]], [[4, 5, 6]]]);
});
