/** Requests to our own server. */

import { readAnswer } from "./answer.js";
import { readComparison } from "./comparison.js";
import { readDecoding } from "./decoding.js";
import { readInspection } from "./inspection.js";
import { patiently } from "./patience.js";
import { RAW, readRaw } from "./raw.js";
import { rowMeans } from "./rows.js";
import { isSmall, pictureOf, picturesOf } from "./view.js";

/** @typedef {import("../state/types.js").Problem} Problem */

/** A refusal of the server, or no answer at all. */
export class ProblemError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.detail);
    this.problem = problem;
  }
}

/**
 * @param {import("../state/types.js").Specification} spec
 * @param {string[]} tensors names of those to send
 * @param {AbortSignal} signal
 * @returns {Promise<import("./answer.js").Answer>}
 */
export async function fetchAttention(spec, tensors, signal) {
  const { answer, tensors: found } = await rawOf(await post(`api/attention?include=${tensors.join(",")}`, spec, signal, { accept: RAW }));
  return readAnswer({ ...answer, tensors: found });
}

/**
 * @param {import("../state/types.js").Specification} spec
 * @param {{batch: number, head: number, query: number, key: number, keys?: [number, number]}} place keys: of which of the row's to tell
 * @param {AbortSignal} signal
 */
export async function fetchInspection(spec, place, signal) {
  return readInspection(await bodyOf(await post("api/inspect?encoding=base64", { spec, ...place }, signal)));
}

/**
 * What a run would be, without its numbers.
 * @param {import("../state/types.js").Specification} spec
 * @param {AbortSignal} signal
 * @returns {Promise<import("./answer.js").Plan>}
 */
export async function fetchPlan(spec, signal) {
  const { layout, steps, tokens, masks, warnings } = await bodyOf(await post("api/describe", { spec }, signal));
  return { layout, steps, tokens, masks, warnings };
}

/**
 * One window, as pictures that fill strip by strip; a small one comes whole, which takes less time.
 * @param {Record<string, any>} request
 * @param {AbortSignal} signal
 */
export async function* fetchWindow(request, signal) {
  if (isSmall(request)) yield pictureOf(await fetchSmall(request, signal));
  else yield* picturesOf(fetchEvents("api/view", request, signal));
}

/**
 * What each head does, as means over all its rows.
 * @param {{spec: import("../state/types.js").Specification, batch: number, heads?: number[]}} request heads: all where none are named
 * @param {AbortSignal} signal
 * @returns {Promise<{head: number, means: Record<string, {value: number, single: boolean}>}[]>}
 */
export async function fetchRowMeans(request, signal) {
  return rowMeans(await fetchJson("api/rows?encoding=base64", { ...request, max_rows: 1 }, signal));
}

/**
 * @param {Record<string, any>} request
 * @param {AbortSignal} signal
 */
async function fetchSmall(request, signal) {
  const { answer, tensors } = await rawOf(await post("api/view", request, signal, { accept: RAW }));
  return { ...answer, ...tensors };
}

/**
 * @param {Record<string, any>} request
 * @param {string[]} tensors names of those of both runs to send too
 * @param {string} stage
 * @param {AbortSignal} signal
 * @returns {Promise<import("./comparison.js").Comparison>}
 */
export async function fetchComparison(request, tensors, stage, signal) {
  const response = await post(`api/compare?encoding=base64&include=${tensors.join(",")}`, request, signal);
  return readComparison(await bodyOf(response), stage);
}

/**
 * @param {string} address
 * @param {unknown} [content] sent as JSON, where there is some
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function fetchJson(address, content, signal) {
  return bodyOf(await (content === undefined ? send(address, { signal }) : post(address, content, signal)));
}

/**
 * An answer in the form text/event-stream, event by event as they come.
 * @param {string} address
 * @param {unknown} content sent as JSON
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<{event: string, data: any}>}
 * @throws {ProblemError} also where the answer, once begun, ends in the event `problem`
 */
export async function* fetchEvents(address, content, signal) {
  const response = await post(address, content, signal, { accept: "text/event-stream" });
  if (!response.ok || !response.body) await bodyOf(response);
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  /** @type {string[]} pieces of an event that has no end yet: searching them again with each would take long */
  let begun = [];
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const text = (begun.at(-1)?.endsWith("\n") ? begun.pop() : "") + decoder.decode(part.value, { stream: true }).replaceAll("\r", "");
      const [first, ...others] = text.split("\n\n");
      begun.push(first);
      for (const block of others) {
        yield* eventOf(begun.join(""));
        begun = [block];
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * @param {string} block lines "name: value"; those that begin with a colon keep the connection open
 * @returns {{event: string, data: any}[]}
 */
function eventOf(block) {
  const fields = block.split("\n").map((line) => {
    const end = line.indexOf(":");
    return end < 0 ? [line, ""] : [line.slice(0, end), line.slice(line[end + 1] === " " ? end + 2 : end + 1)];
  });
  const of = (/** @type {string} */ name) => fields.filter(([field]) => field === name).map(([, value]) => value);
  const data = of("data").join("\n");
  if (data === "") return [];
  const [event, value] = [of("event").at(-1) ?? "message", JSON.parse(data)];
  if (event === "problem") throw new ProblemError({ title: "", detail: "", status: 0, errors: [], ...value });
  return [{ event, data: value }];
}

/**
 * @param {{spec: import("../state/types.js").Specification, style: string}} request
 * @param {AbortSignal} signal
 * @returns {Promise<{style: string, script: string, refusals: Record<string, string[]>}>}
 */
export async function fetchScript(request, signal) {
  return bodyOf(await post("api/code", request, signal));
}

/**
 * @param {Record<string, any>} request
 * @param {AbortSignal} signal
 * @returns {Promise<import("./costs.js").Costs>}
 */
export async function fetchCosts(request, signal) {
  return bodyOf(await post("api/costs", request, signal));
}

/**
 * @param {{spec: import("../state/types.js").Specification, prefill: number | string, chunk: number | string}} request
 * @param {AbortSignal} signal
 */
export async function fetchDecoding(request, signal) {
  return readDecoding(await bodyOf(await post("api/decode?encoding=base64", request, signal)));
}

/** @returns {Promise<import("../state/types.js").Example[]>} */
export async function fetchExamples() {
  const body = await bodyOf(await send("api/examples"));
  return body.examples;
}

/**
 * @param {{spec: import("../state/types.js").Specification, format: string, tensors?: string[]}} request
 * @returns {Promise<Blob>}
 */
export async function fetchExport(request) {
  const response = await post("api/export", request);
  return response.ok ? response.blob() : bodyOf(response);
}

/**
 * @param {string} address
 * @param {unknown} content sent as JSON
 * @param {AbortSignal} [signal]
 * @param {Record<string, string>} [headers]
 */
function post(address, content, signal, headers = {}) {
  return send(address, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(content), signal });
}

/**
 * A busy server is asked again. A broken connection is a problem of status 0 without words: a browser's own are in no chosen language.
 * @param {string} address
 * @param {RequestInit} [options]
 */
async function send(address, options) {
  try {
    return await patiently(() => fetch(address, options), options?.signal);
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new ProblemError({ title: "", detail: "", status: 0, errors: [] });
  }
}

/** @param {Response} response */
async function rawOf(response) {
  return response.ok ? readRaw(await response.arrayBuffer()) : bodyOf(response);
}

/** @param {Response} response */
async function bodyOf(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  const { title = response.statusText, detail = "", errors = [] } = body ?? {};
  throw new ProblemError({ title, detail, status: response.status, errors });
}
