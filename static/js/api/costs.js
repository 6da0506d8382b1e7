/** What POST /api/costs answers, and its steps gathered into the parts that people speak of. */

/**
 * @typedef {{name: string, complexity: string, formula: string, flops: number, bytes: number, shape: number[]}} StepCost
 * @typedef {{mha: number, gqa: number, mqa: number}} ByKind
 * @typedef {{materialised: number, fused: number}} Traffic
 *
 * @typedef {object} Curves
 * @property {number[]} lengths
 * @property {Record<string, number[]>} flops by step
 * @property {Record<string, number[]>} bytes
 * @property {{materialised: number[], fused: number[]}} traffic
 *
 * @typedef {object} Costs
 * @property {StepCost[]} steps
 * @property {ByKind} kv_cache
 * @property {Record<"mha" | "gqa" | "mqa", {num_kv_heads: number, flops: number, parameters: number, kv_cache: number}>} siblings
 * @property {number | null} crossover_length
 * @property {Traffic} traffic
 * @property {Curves} curves
 * @property {{layers: number, batch: number, length: number, dtype: string, bytes: ByKind}} model_cache
 */

/** Steps by what they are: their costs grow alike. */
export const PARTS = /** @type {const} */ ({
  projections: ["q", "k", "v", "output"],
  products: ["scores", "heads"],
  softmax: ["masked_scores", "weights"],
});

/** @typedef {keyof typeof PARTS} Part */

/**
 * One part's sum at each length.
 * @param {Curves} curves
 * @param {Part} part
 * @returns {number[]}
 */
export function partCurve({ lengths, flops }, part) {
  return lengths.map((_, index) => PARTS[part].reduce((sum, name) => sum + flops[name][index], 0));
}

/**
 * The kinds that differ: with as many KV heads as another, a kind is that other.
 * @param {Costs["siblings"]} siblings
 * @returns {{kind: "mha" | "gqa" | "mqa", K: number}[]}
 */
export function distinctKinds({ mha, gqa, mqa }) {
  const H = mha.num_kv_heads;
  const K = gqa.num_kv_heads;
  return [
    { kind: /** @type {const} */ ("mha"), K: H },
    ...(K > 1 && K < H ? [{ kind: /** @type {const} */ ("gqa"), K }] : []),
    ...(H > 1 ? [{ kind: /** @type {const} */ ("mqa"), K: mqa.num_kv_heads }] : []),
  ];
}

/**
 * Powers of √2 up to the longest, whole and each once.
 * @param {number} longest
 * @returns {number[]}
 */
export function lengthsUpTo(longest) {
  const halves = Math.round(2 * Math.log2(longest));
  return [...new Set(Array.from({ length: halves + 1 }, (_, index) => Math.round(2 ** (index / 2))))];
}
