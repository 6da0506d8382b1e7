import assert from "node:assert/strict";
import { test } from "node:test";

import { MOST_TRIES, patiently, secondsToWait } from "../../static/js/api/patience.js";

const refusal = (/** @type {string} */ after) => new Response("", { status: 503, headers: { "retry-after": after } });

test("only a refusal that says when to come again is waited for", () => {
  assert.equal(secondsToWait(503, "2"), 2);
  assert.equal(secondsToWait(429, "7"), 7);
  for (const [status, after] of /** @type {[number, string | null][]} */ ([[503, null], [503, ""], [503, "soon"], [503, "-1"], [500, "2"], [200, "2"]])) {
    assert.equal(secondsToWait(status, after), null);
  }
});

test("it is asked again until there is an answer", async () => {
  const answers = [refusal("0"), refusal("0"), new Response("{}", { status: 200 })];
  const answer = await patiently(async () => /** @type {Response} */ (answers.shift()));
  assert.equal(answer.status, 200);
  assert.equal(answers.length, 0);
});

test("it is not asked for ever", async () => {
  let asked = 0;
  const answer = await patiently(async () => (asked++, refusal("0")));
  assert.equal(answer.status, 503);
  assert.equal(asked, MOST_TRIES);
});

test("a newer question ends the waiting", async () => {
  const controller = new AbortController();
  const waiting = patiently(async () => refusal("30"), controller.signal);
  setTimeout(() => controller.abort(new Error("dropped")), 10);
  await assert.rejects(waiting, /dropped/);
});

test("what stands of the wait is said to the page", async () => {
  /** @type {number[]} */
  const said = [];
  const world = /** @type {any} */ (globalThis);
  world.dispatchEvent = (/** @type {CustomEvent<number>} */ event) => said.push(event.detail);
  const answers = [refusal("0"), new Response("{}")];
  await patiently(async () => /** @type {Response} */ (answers.shift()));
  delete world.dispatchEvent;
  assert.deepEqual(said, [1]);
});
