import assert from "node:assert/strict";
import { test } from "node:test";

import { ProblemError, fetchEvents } from "../../static/js/api/client.js";

const TEXT = 'event: start\ndata: {"n":1}\n\n: still there\n\nevent: strip\r\ndata: {"word":"词元"}\r\n\r\nevent: done\ndata: {}\n\nevent: cut\ndata: {"n"';

/**
 * @param {number} size of the pieces that come over the wire
 * @param {string} [text]
 */
async function eventsInPieces(size, text = TEXT) {
  const bytes = new TextEncoder().encode(text);
  /** @type {HeadersInit | undefined} */
  let headers;
  const real = globalThis.fetch;
  globalThis.fetch = async (_, options) => {
    headers = options?.headers;
    return new Response(
      new ReadableStream({
        start(stream) {
          for (let start = 0; start < bytes.length; start += size) stream.enqueue(bytes.slice(start, start + size));
          stream.close();
        },
      }),
    );
  };
  const found = [];
  try {
    for await (const event of fetchEvents("/api/view", {}, new AbortController().signal)) found.push(event);
  } finally {
    globalThis.fetch = real;
  }
  return { found, headers };
}

test("events are read whole however the wire cuts them, even between two line ends or within a character", async () => {
  const expected = [
    { event: "start", data: { n: 1 } },
    { event: "strip", data: { word: "词元" } },
    { event: "done", data: {} },
  ];
  for (const size of [1, 2, 3, 7, 16, 1000]) assert.deepEqual((await eventsInPieces(size)).found, expected, `pieces of ${size}`);
});

test("events are asked for as such", async () => {
  const { headers } = await eventsInPieces(1000);
  assert.equal(/** @type {Record<string, string>} */ (headers).accept, "text/event-stream");
});

test("a problem that comes after the answer has begun is one as if it had come at once", async () => {
  const problem = { type: "about:blank", title: "Service Unavailable", status: 503, detail: "this took longer than the 60 seconds", errors: [] };
  const text = `event: start\ndata: {"n":1}\n\nevent: problem\ndata: ${JSON.stringify(problem)}\n\n`;
  await assert.rejects(eventsInPieces(5, text), (error) => {
    assert.ok(error instanceof ProblemError);
    assert.equal(error.problem.status, 503);
    assert.equal(error.problem.detail, problem.detail);
    return true;
  });
});
