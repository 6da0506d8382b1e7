/** What each step's statements rest on, and the tab that says more. */

/** Authors, year and title, as their own language writes them. */
export const WORKS = /** @type {Record<string, string>} */ ({
  vaswani: "Vaswani et al. (2017), Attention Is All You Need",
  shazeer: "Shazeer (2019), Fast Transformer Decoding: One Write-Head is All You Need",
  jain: "Jain and Wallace (2019), Attention is not Explanation",
  katharopoulos: "Katharopoulos et al. (2020), Transformers are RNNs: Fast Autoregressive Transformers with Linear Attention",
  dao: "Dao et al. (2022), FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness",
  ainslie: "Ainslie et al. (2023), GQA: Training Generalized Multi-Query Transformer Models from Multi-Head Checkpoints",
});

/** Works and the places in them, by step. */
export const SOURCES = /** @type {Record<string, [keyof typeof WORKS, string][]>} */ ({
  match_and_mix: [["vaswani", "section 3.2"]],
  shapes: [["vaswani", "section 3.2.2"]],
  by_hand: [["vaswani", "equation 1"]],
  scale: [["vaswani", "section 3.2.1, footnote 4"]],
  saturation: [["vaswani", "section 3.2.1"]],
  rows: [["vaswani", "equation 1"]],
  mask_order: [["vaswani", "section 3.2.3"]],
  mixing: [["jain", ""]],
  heads: [["vaswani", "section 3.2.2"]],
  patterns: [["jain", ""]],
  sharing: [["shazeer", "section 3"], ["ainslie", "section 2"]],
  cross: [["vaswani", "section 3.2.3"]],
  decoding: [["shazeer", "section 2.4"]],
  flash: [["dao", "section 3.1"], ["vaswani", "table 1"]],
  linear: [["katharopoulos", "section 3"]],
});

/** Tabs by step. */
export const ELSEWHERE = /** @type {Record<string, "compare" | "decode" | "costs" | "code" | "check">} */ ({
  mask_order: "compare",
  sharing: "costs",
  decoding: "decode",
  flash: "costs",
  checklist: "code",
});
