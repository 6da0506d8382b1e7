/** The physical size of a PNG, which browsers leave out and typesetters go by. */

const SIGNATURE_BYTES = 8;
const HEADER_CHUNK_BYTES = 25;
const METRES_PER_INCH = 0.0254;

/**
 * The same picture with a pHYs chunk, right behind its header.
 * @param {Uint8Array} png
 * @param {number} dpi
 */
export function withResolution(png, dpi) {
  const at = SIGNATURE_BYTES + HEADER_CHUNK_BYTES;
  const chunk = resolutionChunk(Math.round(dpi / METRES_PER_INCH));
  const joined = new Uint8Array(png.length + chunk.length);
  joined.set(png.subarray(0, at));
  joined.set(chunk, at);
  joined.set(png.subarray(at), at + chunk.length);
  return joined;
}

/** @param {number} perMetre pixels along both axes */
function resolutionChunk(perMetre) {
  const chunk = new Uint8Array(21);
  const view = new DataView(chunk.buffer);
  view.setUint32(0, 9);
  chunk.set(new TextEncoder().encode("pHYs"), 4);
  view.setUint32(8, perMetre);
  view.setUint32(12, perMetre);
  view.setUint8(16, 1);
  view.setUint32(17, crc32(chunk.subarray(4, 17)));
  return chunk;
}

/** @param {Uint8Array} bytes */
function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
