/** The run as text for a shell, for Python and for another page. */

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import test from "node:test";

import { curlSnippet, embedSnippet, pythonSnippet } from "../../static/js/snippets.js";

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
