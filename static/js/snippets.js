/** The run as text to paste elsewhere: a shell, a Python prompt, a page. */

/** @typedef {import("./state/types.js").Specification} Specification */

/** Longer ones are read from the file instead; terminals choke on them. */
const MOST_INLINE = 20_000;
export const SPECIFICATION_FILE = "specification.json";

/** @param {Specification} spec */
export function curlSnippet(spec, origin = location.origin) {
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

/**
 * @param {string} fragment of the page's address, with its #
 * @param {string} title
 */
export function embedSnippet(fragment, title, origin = location.origin) {
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
