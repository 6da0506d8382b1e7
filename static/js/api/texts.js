/** Text into a model on the server, with the events of its progress. */

import { ProblemError, fetchEvents, fetchJson } from "./client.js";
import { readUpload } from "./uploads.js";

/** @typedef {{name: string, available: boolean, reason?: string | null}} Model */
/** @returns {Promise<Model[]>} none where the operator allows none */
export async function fetchModels() {
  const { models = [] } = await fetchJson("api/models");
  return models;
}

/**
 * @param {import("../state/types.js").Run} request
 * @param {(done: number, of: number) => void} onProgress layers that were computed
 * @param {AbortSignal} signal
 * @returns {Promise<import("./uploads.js").UploadAnswer>} the run, kept as an upload
 * @throws {ProblemError}
 */
export async function runText(request, onProgress, signal) {
  for await (const { event, data } of fetchEvents("api/models/run", request, signal)) {
    if (event === "progress") onProgress(data.done, data.of);
    if (event === "done") return readUpload(data);
  }
  throw new ProblemError({ title: "", detail: "", status: 0, errors: [] });
}
