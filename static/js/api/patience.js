/** Asking again where the server is busy: when it says, a few times, and not without saying so. */

export const MOST_TRIES = 8;
const BUSY = [429, 503];
/** Not all pages come again at once. */
const SPREAD = 0.5;

/**
 * @param {() => Promise<Response>} ask
 * @param {AbortSignal | null} [signal] ends the waiting
 * @returns {Promise<Response>} the first answer that is no such refusal, or the last refusal
 */
export async function patiently(ask, signal) {
  for (let tries = 1; ; tries += 1) {
    const response = await ask();
    const seconds = secondsToWait(response.status, response.headers.get("retry-after"));
    if (seconds === null || tries === MOST_TRIES) return response;
    await waitSaying(seconds, signal);
  }
}

/**
 * @param {number} status
 * @param {string | null} retryAfter as the server sent it
 * @returns {number | null} null where asking again would not help
 */
export function secondsToWait(status, retryAfter) {
  const seconds = retryAfter === null || retryAfter === "" ? NaN : Number(retryAfter);
  return BUSY.includes(status) && seconds >= 0 ? seconds : null;
}

/**
 * @param {number} seconds at least
 * @param {AbortSignal | null} [signal]
 * @returns {Promise<void>}
 */
export function waitSaying(seconds, signal) {
  globalThis.dispatchEvent?.(new CustomEvent("serverbusy", { detail: Math.max(1, Math.round(seconds)) }));
  const milliseconds = 1000 * seconds * (1 + SPREAD * Math.random());
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}
