/** Tensors of uploaded files that stand in a document where numbers could stand. */

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Upload} Upload */
/** @typedef {{upload: string, name?: string}} Reference */

/**
 * @param {any} value
 * @returns {value is Reference}
 */
export function isReference(value) {
  return typeof value === "object" && value !== null && typeof value.upload === "string";
}

/**
 * Numbers that the server draws from a seed.
 * @param {any} value
 * @returns {value is {random: {shape: number[], seed?: number, kind?: string}}}
 */
export function isRandom(value) {
  return Array.isArray(value?.random?.shape);
}

/**
 * Every reference within a value; a checkpoint names its upload too, without a tensor.
 * @param {any} value
 * @returns {Reference[]}
 */
export function referencesIn(value) {
  if (typeof value !== "object" || value === null) return [];
  if (isReference(value)) return [value];
  return Object.values(value).flatMap(referencesIn);
}

/**
 * @param {Document} document
 * @returns {string[]} the ids of the uploads that it reads
 */
export function uploadsUsed({ also }) {
  return [...new Set(referencesIn(also).map(({ upload }) => upload))];
}

/**
 * What is kept of an upload beside its id: enough to ask for the file again, and the shapes that are used.
 * @param {Document} document
 * @param {Upload} upload
 * @returns {Document}
 */
export function withUpload(document, upload) {
  const known = document.uploads.find(({ id }) => id === upload.id);
  const merged = { ...upload, shapes: { ...known?.shapes, ...upload.shapes } };
  const uploads = known ? document.uploads.map((other) => (other === known ? merged : other)) : [...document.uploads, merged];
  return { ...document, uploads };
}

/**
 * The document without a file and without everything that is read from it.
 * @param {Document} document
 * @param {string} id
 * @returns {Document}
 */
export function withoutUpload(document, id) {
  const uploads = document.uploads.filter((upload) => upload.id !== id);
  const also = Object.fromEntries(
    Object.entries(document.also).flatMap(([name, value]) => {
      const kept = Array.isArray(value) && (name === "masks" || name === "biases") ? value.filter((item) => !reads(item, id)) : value;
      const empty = Array.isArray(value) && Array.isArray(kept) && value.length > 0 && kept.length === 0;
      return empty || reads(kept, id) ? [] : [[name, kept]];
    }),
  );
  return { ...document, uploads, also: withoutStray(also) };
}

/**
 * Fields that go together fall together: q, k and v; the two halves of a cache; labels of an input.
 * @param {Record<string, any>} also
 */
function withoutStray(also) {
  const gone = new Set(["q", "k", "v"].every((name) => name in also) ? [] : ["q", "k", "v"]);
  if (!("past_k" in also && "past_v" in also)) for (const name of ["past_k", "past_v"]) gone.add(name);
  if (!("x" in also || ("q" in also && !gone.has("q")))) gone.add("tokens");
  if (!("memory" in also || ("q" in also && !gone.has("q")))) gone.add("memory_tokens");
  return Object.fromEntries(Object.entries(also).filter(([name]) => !gone.has(name)));
}

/**
 * @param {any} value
 * @param {string} id
 */
function reads(value, id) {
  return referencesIn(value).some(({ upload }) => upload === id);
}

/**
 * The shape of numbers, random ones too, or of a reference, as far as the document knows it; [] where it does not.
 * @param {Document} document
 * @param {any} value
 * @returns {number[]}
 */
export function shapeIn({ uploads }, value) {
  if (isRandom(value)) return value.random.shape;
  if (!isReference(value)) return shapeOf(value);
  const shapes = uploads.find(({ id }) => id === value.upload)?.shapes ?? {};
  const [only] = Object.values(shapes);
  return shapes[value.name ?? ""] ?? (value.name === undefined ? only : undefined) ?? [];
}

/**
 * @param {any} value nested lists or a typed array
 * @returns {number[]}
 */
export function shapeOf(value) {
  if (typeof value?.shape === "string") return value.shape.split(",").map(Number);
  if (Array.isArray(value?.shape)) return value.shape;
  const shape = [];
  for (let inner = value; Array.isArray(inner); inner = inner[0]) shape.push(inner.length);
  return shape;
}
