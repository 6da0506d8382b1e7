/** Random hidden states as a .npy file that comes out the same, byte for byte, in every browser. */

const NAME = /^random-(\d+)x(\d+)-seed(\d+)\.npy$/;
const BLOCK = 64;

/**
 * @param {number} tokens
 * @param {number} width
 * @param {number} seed
 * @returns {{name: string, bytes: Uint8Array<ArrayBuffer>}}
 */
export function randomStates(tokens, width, seed) {
  const shape = `{'descr': '<f4', 'fortran_order': False, 'shape': (${tokens}, ${width}), }`;
  const start = 10 + shape.length + 1;
  const header = `${shape}${" ".repeat((BLOCK - (start % BLOCK)) % BLOCK)}\n`;
  const bytes = new Uint8Array(10 + header.length + 4 * tokens * width);
  const view = new DataView(bytes.buffer);
  bytes.set([0x93, ...new TextEncoder().encode("NUMPY"), 1, 0]);
  view.setUint16(8, header.length, true);
  bytes.set(new TextEncoder().encode(header), 10);
  const next = uniform(seed);
  for (let at = 10 + header.length; at < bytes.length; at += 4) view.setFloat32(at, normal(next), true);
  return { name: `random-${tokens}x${width}-seed${seed}.npy`, bytes };
}

/** @param {string} name of a file */
export function isRandomStates(name) {
  return NAME.test(name);
}

/**
 * The same again, where a file's name says that it is one of these.
 * @param {string} name
 */
export function randomStatesNamed(name) {
  const [, tokens, width, seed] = name.match(NAME) ?? [];
  return tokens === undefined ? null : randomStates(Number(tokens), Number(width), Number(seed));
}

/**
 * Twelve uniform numbers less six have mean 0 and variance 1; sums are exact where logarithms are not.
 * @param {() => number} next
 */
function normal(next) {
  let sum = -6;
  for (let count = 0; count < 12; count += 1) sum += next();
  return sum;
}

/**
 * Mulberry32.
 * @param {number} seed
 * @returns {() => number} from 0 up to 1
 */
function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
