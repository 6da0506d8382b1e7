/** Requests to our own server. */

import { t } from "../strings.js";
import { readAnswer } from "./answer.js";
import { readComparison } from "./comparison.js";
import { readInspection } from "./inspection.js";

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
  const response = await send(`/api/attention?encoding=base64&include=${tensors.join(",")}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(spec),
    signal,
  });
  return readAnswer(await bodyOf(response));
}

/**
 * @param {import("../state/types.js").Specification} spec
 * @param {{batch: number, head: number, query: number, key: number}} place
 * @param {AbortSignal} signal
 */
export async function fetchInspection(spec, place, signal) {
  const response = await send("/api/inspect?encoding=base64", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ spec, ...place }),
    signal,
  });
  return readInspection(await bodyOf(response));
}

/**
 * @param {Record<string, any>} request
 * @param {string} stage whose tensors of both runs are sent too
 * @param {AbortSignal} signal
 * @returns {Promise<import("./comparison.js").Comparison>}
 */
export async function fetchComparison(request, stage, signal) {
  const response = await send(`/api/compare?encoding=base64&include=${stage},allowed`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });
  return readComparison(await bodyOf(response), stage);
}

/** @returns {Promise<import("../state/types.js").Example[]>} */
export async function fetchExamples() {
  const body = await bodyOf(await send("/api/examples"));
  return body.examples;
}

/**
 * @param {{spec: import("../state/types.js").Specification, format: string, tensors?: string[]}} request
 * @returns {Promise<Blob>}
 */
export async function fetchExport(request) {
  const response = await send("/api/export", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  return response.ok ? response.blob() : bodyOf(response);
}

/**
 * A browser's own words for a broken connection are in no chosen language.
 * @param {string} address
 * @param {RequestInit} [options]
 */
async function send(address, options) {
  try {
    return await fetch(address, options);
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new ProblemError({ title: t("problem.noAnswer"), detail: t("problem.unreachable"), status: 0, errors: [] });
  }
}

/** @param {Response} response */
async function bodyOf(response) {
  const body = await response.json().catch(() => null);
  if (response.ok && body) return body;
  const { title = response.statusText, detail = "", errors = [] } = body ?? {};
  throw new ProblemError({ title, detail, status: response.status, errors });
}
