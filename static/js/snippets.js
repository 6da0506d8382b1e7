/** The run as text to paste elsewhere: a shell, a Python prompt, a page. */

/** @typedef {import("./state/types.js").Specification} Specification */

/** Longer ones are read from the file instead; terminals choke on them. */
const MOST_INLINE = 20_000;
export const SPECIFICATION_FILE = "specification.json";

/** Where this page's server is: a proxy may have put it below a path. */
const server = () => new URL(".", location.href).href.replace(/\/$/, "");

/** @param {Specification} spec */
export function curlSnippet(spec, origin = server()) {
  const json = JSON.stringify(spec);
  const body = json.length > MOST_INLINE ? `@${SPECIFICATION_FILE}` : json;
  return `curl -s ${origin}/api/attention -H 'content-type: application/json' -d ${quoted(body)}`;
}

/** @param {Specification} spec */
export function pythonSnippet(spec) {
  const long = JSON.stringify(spec).length > MOST_INLINE;
  const lines = long
    ? ["import json", "from attention import attend", "", `spec = json.load(open("${SPECIFICATION_FILE}"))`]
    : ["from attention import attend", "", `spec = ${dictionary(spec)}`];
  return [...lines, "run = attend(**spec)", "print(run.weights)", "# in a notebook, with plotly installed: run.figure(head=0)", ""].join("\n");
}

/** @typedef {import("./state/own_numbers.js").CheckBody} CheckBody */

export const CHECK_FILE = "check.json";

/** @param {CheckBody} body */
export function checkCurl(body, origin = server()) {
  const json = JSON.stringify(body);
  return `curl -s ${origin}/api/check -H 'content-type: application/json' -d ${quoted(json.length > MOST_INLINE ? `@${CHECK_FILE}` : json)}`;
}

/**
 * Numbers of an upload are the reader's own file, whose path only they know.
 * @param {CheckBody} body
 */
export function checkPython({ spec, expected, rtol, atol }) {
  const holds = (/** @type {string} */ field) => Object.values(expected).some((value) => field in value);
  const long = JSON.stringify([spec, expected]).length > MOST_INLINE;
  const names = [...(holds("bdata") ? ["array_from_typed"] : []), "attend", "check", ...(holds("upload") ? ["open_tensors"] : [])];
  const tolerances = Object.entries({ rtol, atol }).flatMap(([name, value]) => (value === undefined ? [] : [`, ${name}=${literal(value)}`]));
  const fields = Object.entries(expected).map(([name, value]) => `    ${JSON.stringify(name)}: ${ownNumbers(value)},`);
  const given = long
    ? [`body = json.load(open("${CHECK_FILE}"))`, 'spec, expected = body["spec"], body["expected"]']
    : [`spec = ${dictionary(spec)}`, ["expected = {", ...fields, "}"].join("\n")];
  return [
    ...(long ? ["import json", ""] : []),
    `from attention import ${names.join(", ")}`,
    ...given,
    `found = check(attend(**spec), expected${tolerances.join("")})`,
    'print("pass" if found.passed else "fail", found.tensors)',
    "for cause in found.causes:",
    "    print(cause.mistake, cause.max_abs, cause.explanation)",
    "",
  ].join("\n");
}

/** @param {any} value */
function ownNumbers(value) {
  if ("bdata" in value) return `array_from_typed(${literal(value)})`;
  return "upload" in value ? `open_tensors("your-file.npz").read(${JSON.stringify(value.name)})` : literal(value);
}

/**
 * @param {string} fragment of the page's address, with its #
 * @param {string} title
 */
export function embedSnippet(fragment, title, origin = server()) {
  const source = `${origin}/embed${fragment}`;
  return `<iframe src="${escaped(source)}" title="${escaped(title)}" width="100%" height="760" style="border:0" loading="lazy"></iframe>`;
}

/**
 * For a POSIX shell.
 * @param {string} text
 */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}

/** @param {Specification} spec */
function dictionary(spec) {
  const fields = Object.entries(spec).map(([name, value]) => `    ${JSON.stringify(name)}: ${literal(value)},`);
  return ["{", ...fields, "}"].join("\n");
}

/**
 * JSON's strings are Python's too; only three words differ.
 * @param {unknown} value
 * @returns {string}
 */
function literal(value) {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${literal(item)}`).join(", ")}}`;
}
