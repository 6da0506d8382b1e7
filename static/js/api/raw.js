/** An answer in the form application/octet-stream: a safetensors file whose metadata holds the rest of the answer. */

export const RAW = "application/octet-stream";

/** @type {Record<string, string>} */
const DTYPES = { F32: "f4", F64: "f8", U8: "u1", I32: "i4" };

/**
 * The numbers stay where they came, in memory that is shared.
 * @param {ArrayBuffer} file
 * @returns {{answer: any, tensors: Record<string, {dtype: string, shape: number[], bdata: Uint8Array}>}}
 */
export function readRaw(file) {
  const start = 8 + Number(new DataView(file).getBigUint64(0, true));
  const { __metadata__: metadata, ...parts } = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 8, start - 8)));
  const tensors = Object.entries(parts).map(([name, { dtype, shape, data_offsets: [from, to] }]) => [
    name,
    { dtype: DTYPES[dtype] ?? dtype, shape, bdata: new Uint8Array(file, start + from, to - from) },
  ]);
  return { answer: JSON.parse(metadata.answer), tensors: Object.fromEntries(tensors) };
}
