/** Files on their way to the server, and what the server says of those it has. */

import { ProblemError, fetchJson } from "./client.js";
import { MOST_TRIES, secondsToWait, waitSaying } from "./patience.js";

/** @typedef {import("../state/types.js").Specification} Specification */
/** @typedef {{name: string, dtype: string, shape: number[]}} ListedTensor */
/** @typedef {{index: number, module: string, function: string, num_heads: number, num_kv_heads: number, batch: number, queries: number, keys: number, spec: Specification}} CapturedCall */
/**
 * @typedef {object} ListedModule
 * @property {string} module
 * @property {string | null} family
 * @property {string | null} layout
 * @property {string[]} layouts those that fit the shapes
 * @property {number | null} layer
 * @property {number | null} width of the vectors that it reads
 * @property {number | null} num_heads
 * @property {number | null} num_kv_heads
 * @property {number | null} head_dim
 * @property {string | null} position_bias
 */
/**
 * @typedef {object} UploadAnswer
 * @property {string} id the SHA-256 of the file's content
 * @property {string} name
 * @property {number} size in bytes
 * @property {ListedTensor[]} tensors
 * @property {ListedModule[]} modules
 * @property {CapturedCall[]} calls
 * @property {Record<string, any>} detected
 */

const INDEX = ".safetensors.index.json";
const WEIGHTS = ".safetensors";

/**
 * One file, or those that belong together, in one form.
 * @param {File[]} files
 * @param {Record<string, string>} options how a text table is to be read
 * @param {(loaded: number, total: number) => void} onProgress bytes sent so far
 * @param {AbortSignal} signal
 * @returns {Promise<UploadAnswer>}
 * @throws {ProblemError} status 0 without words where no answer came
 */
export async function sendFiles(files, options, onProgress, signal) {
  for (let tries = 1; ; tries += 1) {
    const request = await sendForm(files, options, onProgress, signal);
    if (request.status === 201) return readUpload(request.response);
    const seconds = secondsToWait(request.status, request.getResponseHeader("retry-after"));
    if (seconds === null || tries === MOST_TRIES) throw refusal(request);
    await waitSaying(seconds, signal);
  }
}

/**
 * @param {File[]} files
 * @param {Record<string, string>} options
 * @param {(loaded: number, total: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<XMLHttpRequest>} answered
 */
function sendForm(files, options, onProgress, signal) {
  const form = new FormData();
  for (const [name, value] of Object.entries(options)) form.append(name, value);
  for (const file of files) form.append("file", file, file.name);
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    request.open("POST", "api/uploads");
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded, total));
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("error", () => reject(refusal(request)));
    request.addEventListener("abort", () => reject(signal.reason));
    signal.addEventListener("abort", () => request.abort());
    request.send(form);
  });
}

/**
 * Which files go together: an index with its shards, weights with their config.json; all others stand alone.
 * @param {File[]} files
 * @returns {File[][]}
 */
export function formsOf(files) {
  const configs = files.filter(({ name }) => name === "config.json").slice(0, 1);
  const others = files.filter(({ name }) => name !== "config.json");
  const index = others.find(({ name }) => name.toLowerCase().endsWith(INDEX));
  const shards = index ? others.filter((file) => file === index || file.name.toLowerCase().endsWith(WEIGHTS)) : [];
  const forms = [...(index ? [shards] : []), ...others.filter((file) => !shards.includes(file)).map((file) => [file])];
  if (forms.length === 0) return files.length ? [files.slice(0, 1)] : [];
  const owner = forms.find(([file]) => file === index || file.name.toLowerCase().endsWith(WEIGHTS)) ?? forms[0];
  return forms.map((form) => (form === owner ? [...form, ...configs] : form));
}

/** @param {XMLHttpRequest} request */
function refusal({ response, status, statusText }) {
  const { title = statusText, detail = "", errors = [] } = response ?? {};
  return new ProblemError({ title, detail, status, errors });
}

/**
 * @param {any} body
 * @returns {UploadAnswer}
 */
export function readUpload(body) {
  return { ...body, calls: body.calls ?? [] };
}

/**
 * @param {string} id
 * @returns {Promise<UploadAnswer | null>} null where the server does not have it, or no longer
 */
export async function fetchUpload(id) {
  try {
    return readUpload(await fetchJson(`api/uploads/${encodeURIComponent(id)}`));
  } catch (error) {
    if (error instanceof ProblemError && error.problem.status === 404) return null;
    throw error;
  }
}

/**
 * The numbers of one tensor, as a typed array: what enters the dot product when they are given as q.
 * @param {string} id
 * @param {ListedTensor} tensor
 */
export async function fetchNumbers(id, { name, dtype, shape }) {
  const heads = { upload: id, name };
  const single = /16|32/.test(dtype) && dtype.includes("float");
  const spec = { q: heads, k: heads, v: heads, dtype: single ? "float32" : "float64" };
  const { tensors } = await fetchJson("api/attention?encoding=base64&include=q", spec);
  return { ...tensors.q, shape: shape.join(",") };
}
