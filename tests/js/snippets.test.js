/** The run as text for a shell, for Python and for another page. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";

import { checkCurl, checkPython, curlSnippet, embedSnippet, pythonSnippet } from "../../static/js/snippets.js";

const spec = {
  x: [[1.5, "NaN"], [-2, 1e-7]],
  tokens: ["it's", 'say "x" \\ $HOME `id`'],
  num_heads: 1,
  projection: { kind: "random", seed: 0, bias: true },
  rope: { style: "half", positions: null },
};

test("a shell reads the curl command's body as it was", () => {
  const command = curlSnippet(spec, "http://a.test");
  assert.ok(command.startsWith("curl -s http://a.test/api/attention "));
  const shown = execFileSync("sh", ["-c", `curl() { for last; do :; done; printf %s "$last"; }; ${command}`], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(shown), spec);
});

test("Python reads the literal as the same specification", () => {
  const script = pythonSnippet(spec).split("\n").filter((line) => !/attend|run/.test(line)).join("\n");
  const shown = execFileSync("python3", ["-c", `${script}\nimport json\nprint(json.dumps(spec))`], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(shown), spec);
});

test("what is too long for a terminal is read from the file", () => {
  const long = { x: [Array.from({ length: 9000 }, (_, index) => index)] };
  assert.ok(curlSnippet(long, "http://a.test").endsWith("-d '@specification.json'"));
  assert.match(pythonSnippet(long), /open\("specification\.json"\)/);
});

test("the iframe's address and title stay inside their attributes", () => {
  const snippet = embedSnippet('#v1=a"b&c', 'a "title" <b>', "http://a.test");
  assert.match(snippet, /src="http:\/\/a\.test\/embed#v1=a&quot;b&amp;c" title="a &quot;title&quot; &lt;b>"/);
});

const body = { spec, expected: { weights: [[[[0.5, "NaN"]]]] }, rtol: 1e-3 };

test("a shell reads the body of a check as it was", () => {
  const command = checkCurl(body, "http://a.test");
  assert.ok(command.startsWith("curl -s http://a.test/api/check "));
  const shown = execFileSync("sh", ["-c", `curl() { for last; do :; done; printf %s "$last"; }; ${command}`], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(shown), body);
});

test("Python reads the numbers of a check as they were, and their tolerance", () => {
  const script = checkPython(body).replace(/^from attention.*$/m, "");
  assert.ok(script.includes("check(attend(**spec), expected, rtol=0.001)"));
  const read = script.slice(0, script.indexOf("found ="));
  const shown = execFileSync("python3", ["-c", `${read}\nimport json\nprint(json.dumps([spec, expected]))`], { encoding: "utf8" });
  assert.deepEqual(JSON.parse(shown), [body.spec, body.expected]);
});

test("numbers of a file are read from the file in Python", () => {
  const script = checkPython({ spec, expected: { weights: { upload: "0".repeat(64), name: "w" } } });
  assert.ok(script.includes('open_tensors("your-file.npz").read("w")'));
  assert.ok(script.includes("import attend, check, open_tensors"));
});
