/** What a file's tensors may be used as, a first guess at it, and the document with them in use. */

import { divisors, headCounts } from "./dimensions.js";
import { readInput } from "./read_input.js";
import { withUpload } from "./references.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Upload} Upload */
/** @typedef {import("./types.js").Specification} Specification */
/** @typedef {{name: string, dtype: string, shape: number[]}} ListedTensor */
/** @typedef {Record<string, string>} Roles the role of each tensor by its name; "" for none */

const HEADS = ["q", "k", "v"];
const CACHE = ["past_k", "past_v"];
const MASKS = ["mask", "mask:allowed", "mask:blocked", "mask:additive"];
const WEIGHTS = ["w_q", "w_k", "w_v", "w_o"];
const BIASES = ["b_q", "b_k", "b_v", "b_o"];

/** How many axes each role may have. */
const AXES = /** @type {[string[], number, number][]} */ ([
  [["x", "memory"], 2, 3],
  [[...HEADS, ...CACHE], 2, 4],
  [MASKS, 1, 4],
  [WEIGHTS, 2, 2],
  [BIASES, 1, 1],
]);

/** Names that say what a tensor is. */
const NAMED = /** @type {[RegExp, string][]} */ ([
  [/^(q|quer(y|ies))$/, "q"],
  [/^(k|keys?)$/, "k"],
  [/^(v|values?)$/, "v"],
  [/^past_?k(eys?)?$/, "past_k"],
  [/^past_?v(alues?)?$/, "past_v"],
  [/^(memory|encoder(_hidden_states|_outputs?)?|context)$/, "memory"],
  [/^(x|inputs?|hidden_states?|embeddings?|tokens|vectors)$/, "x"],
  [/^((attn|attention)_)?mask$/, "mask"],
  [/^w_?([qkvo])$/, "w_$1"],
  [/^b_?([qkvo])$/, "b_$1"],
]);

/** Inputs of at most so many numbers are put into the grids, where they can be changed. */
export const MOST_IN_GRID = 2048;

/**
 * @param {number[]} shape
 * @returns {string[]}
 */
export function rolesFor(shape) {
  return AXES.flatMap(([roles, least, most]) => (shape.length >= least && shape.length <= most ? roles.filter((role) => role !== "mask") : []));
}

/**
 * By name, where the axes fit; a lone table of numbers is x. What true means in a mask is never guessed.
 * @param {{name: string, tensors: ListedTensor[]}} upload
 * @returns {Roles}
 */
export function guessRoles({ name: file, tensors }) {
  const only = tensors.length === 1;
  const stem = file.replace(/\.[^.]*$/, "");
  const guesses = tensors.map(({ name, shape }) => [name, guess(only ? [name, stem] : [name], shape)]);
  const roles = Object.fromEntries(guesses);
  if (!HEADS.every((role) => Object.values(roles).includes(role))) for (const [name, role] of guesses) if (HEADS.includes(role) && !only) roles[name] = "";
  const free = only && roles[tensors[0].name] === "" && rolesFor(tensors[0].shape).includes("x");
  return free ? { [tensors[0].name]: "x" } : roles;
}

/**
 * @param {string[]} names
 * @param {number[]} shape
 */
function guess(names, shape) {
  for (const name of names) {
    for (const [pattern, role] of NAMED) {
      const found = name.toLowerCase().replace(pattern, role);
      if (!pattern.test(name.toLowerCase())) continue;
      if (found === "mask" ? shape.length > 0 : rolesFor(shape).includes(found)) return found;
    }
  }
  return "";
}

/**
 * @typedef {"nothing" | "twice" | "heads" | "both" | "cache" | "weights" | "mask"} Fault why roles make no input
 */

/**
 * @param {Roles} roles
 * @returns {{fault: Fault, roles: string[]} | null}
 */
export function faultOf(roles) {
  const given = Object.values(roles).filter(Boolean);
  const single = given.filter((role) => !MASKS.includes(role));
  const twice = single.find((role, index) => single.indexOf(role) !== index);
  const heads = HEADS.filter((role) => given.includes(role));
  if (given.length === 0) return { fault: "nothing", roles: [] };
  if (twice) return { fault: "twice", roles: [twice] };
  if (given.includes("mask")) return { fault: "mask", roles: [] };
  if (heads.length % 3) return { fault: "heads", roles: HEADS.filter((role) => !heads.includes(role)) };
  if (heads.length && ["x", "memory", ...WEIGHTS].some((role) => given.includes(role))) return { fault: "both", roles: [] };
  if (CACHE.filter((role) => given.includes(role)).length === 1) return { fault: "cache", roles: CACHE.filter((role) => !given.includes(role)) };
  const weights = [...WEIGHTS, ...BIASES].some((role) => given.includes(role));
  const lacking = WEIGHTS.slice(0, 3).filter((role) => !given.includes(role));
  return weights && lacking.length ? { fault: "weights", roles: lacking } : null;
}

/**
 * The fields of a specification that the tensors stand for.
 * @param {string} id of the upload
 * @param {Roles} roles
 * @returns {Specification}
 */
export function fieldsOf(id, roles) {
  const entries = Object.entries(roles).filter(([, role]) => role);
  const of = (/** @type {string[]} */ wanted) =>
    Object.fromEntries(entries.filter(([, role]) => wanted.includes(role)).map(([name, role]) => [role, { upload: id, name }]));
  const masks = entries.filter(([, role]) => MASKS.includes(role)).map(([name, role]) => ({ kind: "matrix", values: { upload: id, name }, convention: role.slice(5) }));
  const weights = of([...WEIGHTS, ...BIASES]);
  return {
    ...of(["x", "memory", ...HEADS, ...CACHE]),
    ...(masks.length ? { masks } : {}),
    ...(Object.keys(weights).length ? { projection: { kind: "given", ...weights } } : {}),
  };
}

/**
 * The inputs among the fields that a grid can take: x and memory, or q, k and v, if they are few numbers.
 * @param {Specification} fields
 * @param {ListedTensor[]} tensors
 * @returns {string[]}
 */
export function forGrids(fields, tensors) {
  const names = ["x", "memory", ...HEADS].filter((name) => name in fields);
  const sizes = names.map((name) => tensors.find((tensor) => tensor.name === fields[name].name)?.shape ?? []);
  const total = sizes.reduce((sum, shape) => sum + shape.reduce((product, size) => product * size, 1), 0);
  const alone = names.length === 1 && names[0] === "memory";
  return total <= MOST_IN_GRID && !alone ? names : [];
}

/**
 * @param {Document} document
 * @param {Upload} upload with the shapes of its tensors that are used
 * @param {Specification} fields
 * @param {Specification} numbers what of the fields came as numbers, and labels
 * @returns {Document}
 */
export function withFields(document, upload, fields, numbers) {
  const { masks = [], ...plain } = fields;
  const input = ["x", "q"].some((name) => name in fields);
  const cleared = input ? withoutAside(document, ["x", "memory", ...HEADS, ...CACHE, "tokens", "memory_tokens"]) : document;
  const { document: filled, read } = input ? readInput(cleared, { ...plain, ...numbers }) : { document: cleared, read: [] };
  const rest = Object.fromEntries(Object.entries({ ...plain, ...numbers }).filter(([name]) => !read.includes(name)));
  const also = { ...filled.also, ...rest, ...(masks.length ? { masks: [...(filled.also.masks ?? []), ...masks] } : {}) };
  const cross = filled.input.cross || "memory" in fields;
  return fitHeads(withUpload({ ...filled, also, input: { ...filled.input, cross } }, upload), upload, fields);
}

/**
 * @param {Document} document
 * @param {string[]} names
 * @returns {Document}
 */
function withoutAside(document, names) {
  return { ...document, also: Object.fromEntries(Object.entries(document.also).filter(([name]) => !names.includes(name))) };
}

/**
 * The nearest number of heads below that divides the new width, where the old one does not.
 * @param {Document} document
 * @param {Upload} upload
 * @param {Specification} fields
 * @returns {Document}
 */
function fitHeads(document, upload, fields) {
  const width = fields.x && upload.shapes[fields.x.name]?.at(-1);
  const { H, K } = headCounts(document);
  if (!width || document.heads.head_dim.trim() || width % H === 0) return document;
  const fitting = Math.max(...divisors(width).filter((count) => count <= H));
  return { ...document, heads: { ...document.heads, num_heads: String(fitting), num_kv_heads: String(fitting % K ? fitting : K) } };
}
