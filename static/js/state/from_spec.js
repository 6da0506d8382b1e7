/** From a specification to what the page remembers: the inverse of `toSpec`. */

import { textOf } from "../numbers.js";
import { defaultDocument } from "./defaults.js";
import { readInput } from "./read_input.js";
import { readMasks } from "./read_masks.js";
import { rectangle } from "./read_tensor.js";

/** @typedef {import("./types.js").Document} Document */
/** @typedef {import("./types.js").Specification} Specification */

const CHOICES = {
  mask_order: ["before_softmax", "after_softmax"],
  fully_masked: ["zero", "nan", "uniform"],
  dtype: ["float32", "float64", "float16", "bfloat16"],
};

/**
 * Fields without a control, or with a value that no control can say, are kept in `also`.
 * @param {Specification} spec
 * @returns {Document}
 */
export function fromSpec(spec) {
  const fields = Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== null));
  const input = readInput(defaultDocument(), fields);
  const { masks, biases, ...plain } = without(fields, input.read);
  const heads = readHeads({ ...input.document, also: plain });
  const settings = readBiases(readSettings(heads), biases);
  return readMasks(settings, masks);
}

/**
 * @param {Record<string, any>} fields
 * @param {string[]} names
 */
function without(fields, names) {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/**
 * With heads given directly the counts are read off the shapes, and what is said besides stays aside.
 * @param {Document} document
 * @returns {Document}
 */
function readHeads(document) {
  if (document.input.kind === "heads") return document;
  const { num_heads: H, num_kv_heads: K, head_dim: D, value_dim: Dv, ...also } = document.also;
  if (![H, K, D, Dv].every((value) => value === undefined || typeof value === "number")) return document;
  const num_heads = String(H ?? 1);
  const heads = { num_heads, num_kv_heads: String(K ?? num_heads), head_dim: text(D), value_dim: text(Dv) };
  return { ...document, heads, also };
}

/** @param {unknown} value */
function text(value) {
  return value === undefined ? "" : textOf(value);
}

/**
 * @param {Document} document
 * @returns {Document}
 */
function readSettings(document) {
  const readers = /** @type {Record<string, (value: any, document: Document) => any>} */ (SETTINGS);
  let { settings } = document;
  const also = { ...document.also };
  for (const [name, read] of Object.entries(readers)) {
    if (also[name] === undefined) continue;
    const value = read(also[name], document);
    if (value === null) continue;
    settings = { ...settings, [name]: value };
    delete also[name];
  }
  return { ...document, settings, also };
}

/** Each field's setting, or null where the page's control cannot say the value. */
const SETTINGS = {
  scale: readScale,
  softcap: (/** @type {any} */ value) => (typeof value === "number" ? String(value) : null),
  fill: readFill,
  mask_order: choice("mask_order"),
  fully_masked: choice("fully_masked"),
  dtype: choice("dtype"),
  projection: readProjection,
  rope: readRope,
  qk_norm: readNorm,
  sinks: readSinks,
  dropout: readDropout,
};

/** @param {keyof typeof CHOICES} name */
function choice(name) {
  return (/** @type {any} */ value) => (CHOICES[name].includes(value) ? value : null);
}

/** @param {any} value */
function readScale(value) {
  if (typeof value !== "number") return null;
  return value === 1 ? { mode: "one", value: "1" } : { mode: "number", value: String(value) };
}

/** @param {any} value */
function readFill(value) {
  const spare = "-1e5";
  if (value === "-Infinity") return { mode: value, value: spare };
  if (typeof value !== "number") return null;
  const named = ["-1e9", "-1e4"].find((mode) => Number(mode) === value);
  return named ? { mode: named, value: spare } : { mode: "custom", value: String(value) };
}

/**
 * @param {any} value
 * @param {Document} document
 */
function readProjection(value, document) {
  if (document.input.kind === "heads") return null;
  const { kind, seed = 0, bias = true, ...other } = value ?? {};
  if (Object.keys(other).length) return null;
  if (kind === "identity" && !("seed" in value) && !("bias" in value)) return { kind, seed: "0", bias: true };
  const sound = kind === "random" && typeof seed === "number" && typeof bias === "boolean";
  return sound ? { kind, seed: String(seed), bias } : null;
}

/** @param {any} value */
function readRope(value) {
  const { style, base, ...other } = value ?? {};
  const rest = Object.values(other).filter((item) => item !== null);
  if (rest.length || !["half", "interleaved"].includes(style)) return null;
  return base === undefined || typeof base === "number" ? { on: true, style, base: text(base) } : null;
}

/** @param {any} value */
function readNorm(value) {
  const { eps, ...other } = value ?? {};
  const rest = Object.values(other).filter((item) => item !== null);
  return rest.length || (eps !== undefined && typeof eps !== "number") ? null : { on: true, eps: text(eps) };
}

/** @param {any} value */
function readSinks(value) {
  const flat = rectangle(value)?.length === 1 && value.every((/** @type {any} */ item) => item !== "");
  return flat ? { on: true, values: value.join(", ") } : null;
}

/** @param {any} value */
function readDropout(value) {
  const { p, seed, ...other } = value ?? {};
  const sound = typeof p === "number" && typeof seed === "number" && !Object.keys(other).length;
  return sound ? { on: true, p: String(p), seed: String(seed) } : null;
}

/**
 * ALiBi with the published slopes has a switch; every other bias stays aside.
 * @param {Document} document
 * @param {unknown} biases
 * @returns {Document}
 */
function readBiases(document, biases) {
  if (biases === undefined) return document;
  const list = Array.isArray(biases) ? biases : [];
  const index = list.findIndex((bias) => bias?.kind === "alibi" && (bias.slopes ?? null) === null);
  const kept = Array.isArray(biases) ? list.filter((_, place) => place !== index) : biases;
  const settings = { ...document.settings, alibi: { on: index >= 0 } };
  const nothing = Array.isArray(kept) && kept.length === 0;
  return { ...document, settings, also: nothing ? document.also : { ...document.also, biases: kept } };
}
