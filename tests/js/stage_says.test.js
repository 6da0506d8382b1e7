import assert from "node:assert/strict";
import { test } from "node:test";

import { stageSays } from "../../static/js/panels/stage_says.js";

/**
 * The steps of a run by their formulas, as the server writes them.
 * @param {Record<string, string>} formulas
 * @returns {import("../../static/js/api/answer.js").Step[]}
 */
function steps(formulas) {
  return Object.entries(formulas).map(([name, formula]) => ({ name, formula, axes: [], shape: [], min: null, max: null }));
}

/**
 * @param {string} stage
 * @param {string} formula
 * @param {string} [allowed]
 */
function says(stage, formula, allowed = "no mask") {
  return stageSays(steps({ allowed, [stage]: formula }), stage);
}

test("q, k and v say the norm, the rotation and the cache only where the run has them", () => {
  assert.equal(says("q", "X W_q"), "what each query asks");
  assert.equal(says("q", "RoPE(X W_q + b_q)"), "what each query asks, after rotation");
  assert.equal(says("k", "RMSNorm(X W_k)"), "what each key offers, after the norm");
  assert.equal(says("k", "concat(past_k, RoPE(RMSNorm(X W_k)))"), "what each key offers, after norm and rotation; cached ones first");
  assert.equal(says("v", "concat(past_v, v)"), "what each key passes on; cached ones first");
});

test("scores say scale, softcap, biases and masks only where the run has them", () => {
  assert.equal(says("scores", "q k^T"), "q·k");
  assert.equal(says("scores", "q k^T / sqrt(7)"), "q·k scaled");
  assert.equal(says("scores", "q k^T * 0.5 + bias + bias", "causal: key <= query"), "q·k scaled, bias added, before masking");
  assert.equal(says("scores", "20 tanh(q k^T / 20)"), "q·k, softcapped");
});

test("what follows the softmax says what this run does", () => {
  assert.equal(says("weights", "softmax over keys(masked_scores)"), "after the softmax over keys");
  assert.equal(says("weights", "softmax over keys(masked_scores) * allowed"), "after the softmax over keys, then masked");
  assert.equal(says("heads", "dropped_weights v"), "weights after dropout times v, for each query");
  assert.equal(says("output", "concat(heads)"), "all heads joined");
  assert.equal(says("output", "concat(heads) W_o"), "all heads joined and projected");
  assert.equal(stageSays(steps({ allowed: "no mask" }), "allowed"), "no mask: every key is visible");
});
