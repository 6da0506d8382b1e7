/** The kept state as the fragment of an address: versioned, compressed, with a checksum. */

/** Addresses beyond this are cut off or refused by mail, chat and older servers. */
export const MOST_CHARACTERS = 16 * 1024;
export const VERSION = 1;

const PREFIX = `#v${VERSION}=`;

/**
 * @param {string} lines
 * @returns {Promise<string>}
 */
export async function toFragment(lines) {
  return PREFIX + toBase64(await deflate(`${lines}\n${checksum(lines)}`));
}

/**
 * @typedef {object} Fragment
 * @property {string} lines what could be read, the last line perhaps broken
 * @property {"" | "foreign" | "version" | "lost" | "cut" | "damaged"} fault foreign: made elsewhere; lost: nothing could be read
 */

/**
 * @param {string} fragment
 * @returns {Promise<Fragment | null>} null where the fragment is no state at all, as in a link to a heading
 */
export async function fromFragment(fragment) {
  const version = fragment.match(/^#v(\d+)=/)?.[1];
  if (!version) return null;
  if (Number(version) !== VERSION) return { lines: "", fault: "version" };
  const { text, whole } = await inflate(fromBase64(fragment.slice(PREFIX.length)));
  if (text === "") return { lines: "", fault: "lost" };
  const end = text.lastIndexOf("\n");
  const lines = text.slice(0, Math.max(0, end));
  if (whole && text.slice(end + 1) === checksum(lines)) return { lines, fault: "" };
  return { lines: text, fault: whole ? "damaged" : "cut" };
}

/**
 * FNV-1a, 32 bits, in eight hexadecimal digits.
 * @param {string} text
 */
export function checksum(text) {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** @param {string} text */
async function deflate(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * At once; and byte by byte where that fails, so that what stands before a fault is not lost with it.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function inflate(bytes) {
  const read = await inflateIn(bytes, Math.max(1, bytes.length));
  return read.whole ? read : inflateIn(bytes, 1);
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {number} slice bytes given at a time
 */
async function inflateIn(bytes, slice) {
  const stream = new DecompressionStream("deflate-raw");
  const writer = stream.writable.getWriter();
  const reader = stream.readable.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const write = async () => {
    for (let start = 0; start < bytes.length; start += slice) await writer.write(bytes.subarray(start, start + slice));
    await writer.close();
  };
  const written = write().catch(() => {});
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += decoder.decode(part.value, { stream: true });
    await written;
    return { text, whole: true };
  } catch {
    return { text, whole: false };
  }
}

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** @param {string} text up to the first character that cannot stand in a link */
function fromBase64(text) {
  const clean = (text.match(/^[\w-]*/)?.[0] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  const binary = atob(clean.slice(0, clean.length - (clean.length % 4 === 1 ? 1 : 0)));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
