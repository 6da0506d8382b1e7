/** The document and view the page starts from when nothing else is known. */

/** @returns {import("./types.js").Document} */
export function defaultDocument() {
  return {
    input: {
      kind: "vectors",
      cross: false,
      sequences: [{ tokens: identityBlock(3), memory: [] }],
      pad_side: "right",
      pad_label: "<pad>",
      given: [defaultGiven()],
    },
    heads: { num_heads: "1", num_kv_heads: "1", head_dim: "", value_dim: "" },
    masks: defaultMasks(),
    settings: defaultSettings(),
    also: {},
    uploads: [],
  };
}

/** @returns {import("./types.js").Masks} */
function defaultMasks() {
  return {
    causal: { on: false, alignment: "default", offset: "0" },
    padding: { on: true, mode: "auto", lengths: [], keep: [] },
    window: { on: false, left: "1", right: "0", offset: "" },
    prefix: { on: false, length: "1", offset: "" },
    documents: { on: false, ids: [] },
    drawn: { on: false, allowed: [] },
  };
}

/** @returns {import("./types.js").Settings} */
function defaultSettings() {
  return {
    scale: { mode: "default", value: "1" },
    softcap: "",
    fill: { mode: "-Infinity", value: "-1e5" },
    mask_order: "before_softmax",
    fully_masked: "zero",
    projection: { kind: "random", seed: "0", bias: true },
    rope: { on: false, style: "half", base: "10000" },
    qk_norm: { on: false, eps: "1e-6" },
    alibi: { on: false },
    sinks: { on: false, values: "0" },
    dropout: { on: false, p: "0.1", seed: "0" },
    dtype: "float32",
  };
}

/** @returns {import("./types.js").View} */
export function defaultView() {
  return {
    batch: 0,
    head: 0,
    stage: "weights",
    weightScale: "fixed",
    palette: "lake",
    sortHeads: "head",
    descending: false,
    from: "",
    to: "",
    average: false,
    showMasked: false,
    theme: "system",
    language: "",
    example: "",
    setup: true,
    source: "",
    model: "",
    text: "",
    layers: "",
    gridHead: 0,
    tab: "compare",
    checked: "weights",
    folds: [],
    window: null,
    reduce: "max",
    lengthScale: "log",
    whole: false,
    generator: { tokens: "4096", width: "16", heads: "1", kind: "waves", seed: "0", into: "x" },
    help: false,
  };
}

/** @returns {import("./types.js").Compare} */
export function defaultCompare() {
  return { mode: "", num_kv_heads: "1", text: "", stage: "weights" };
}

/** @returns {import("./types.js").OwnNumbers} */
export function defaultOwnNumbers() {
  return { given: { q: "", k: "", v: "", scores: "", weights: "", heads: "", output: "" }, rtol: "", atol: "" };
}

/** @returns {import("./types.js").Tools} */
export function defaultTools() {
  return {
    decode: { prefill: "1", chunk: "1", frame: 0, top_left: false },
    costs: { longest: "4096", layers: "32", batch: "1", length: "4096", dtype: "run" },
    code: { style: "explicit" },
    lesson: { step: "" },
    stability: { dtype: "float16", show: "float16", stage: "weights" },
    readings: { subject: "array", mask: "", window: "", show: "", stage: "allowed" },
  };
}

/** @returns {import("./types.js").GivenItem} */
function defaultGiven() {
  return {
    queries: ["", ""],
    keys: ["", ""],
    q: [[["1", "0"], ["0", "1"]]],
    k: [[["1", "0"], ["0", "1"]]],
    v: [[["1", "0"], ["0", "1"]]],
  };
}

/**
 * @param {number} size
 * @returns {import("./types.js").Block}
 */
function identityBlock(size) {
  return Array.from({ length: size }, (_, row) => ({
    label: "",
    cells: Array.from({ length: size }, (__, column) => (row === column ? "1" : "0")),
  }));
}
