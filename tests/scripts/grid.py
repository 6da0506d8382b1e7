"""Specifications that together use every field of the contract, each under a name.

Axes are small and mostly of different prime lengths: B 2, T 3 or 5, S 5 or 7, E 6 with H 2 or 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.examples import EXAMPLES

Spec = dict[str, Any]
Array = NDArray[np.float64]


def normal(seed: int, *shape: int) -> Array:
    return np.random.default_rng(seed).standard_normal(shape)


def direct(T: int = 3, S: int = 5, H: int = 2, K: int = 2, D: int = 4, Dv: int = 3) -> Spec:
    """Heads given directly, B = 2."""
    return {
        "q": normal(1, 2, H, T, D),
        "k": normal(2, 2, K, S, D),
        "v": normal(3, 2, K, S, Dv),
    }


def past(K: int = 2, P: int = 2, D: int = 4, Dv: int = 3) -> Spec:
    return {"past_k": normal(4, 2, K, P, D), "past_v": normal(5, 2, K, P, Dv)}


def empty(shape: str) -> dict[str, str]:
    """No numbers; nested lists could not say the lengths of what they do not hold."""
    return {"dtype": "f4", "bdata": "", "shape": shape}


HEADS = direct()
SQUARE = direct(T=5)
CACHED = {**direct(S=3), **past()}
VECTORS = {"x": normal(6, 2, 5, 6), "num_heads": 2}
MEMORY = {"x": normal(6, 2, 3, 6), "memory": normal(7, 2, 5, 7), "num_heads": 3}
GROUPED = direct(H=6, K=3)
WIDE = {**VECTORS, "head_dim": 4, "value_dim": 5}
SEEN = normal(8, 2, 1, 3, 5) > -0.4


def masked(*masks: Spec, base: Spec = HEADS) -> Spec:
    return {**base, "masks": list(masks)}


def given(rows: int = 6, **more: Array) -> Spec:
    weights = {f"w_{letter}": normal(i, rows, 6) for i, letter in enumerate("qkv", 10)}
    return {**VECTORS, "projection": {"kind": "given", **weights, **more}}


INPUTS: dict[str, Spec] = {
    "heads without batch": {name: heads[0] for name, heads in HEADS.items()},
    "one head": {name: heads[0, 0] for name, heads in HEADS.items()},
    "heads": HEADS,
    "grouped heads": GROUPED,
    "multi-query heads": direct(H=3, K=1),
    "one vector": {"x": [[1, 0]]},
    "vectors": VECTORS,
    "vectors without bias": {**VECTORS, "projection": {"kind": "random", "seed": 7, "bias": False}},
    "grouped vectors": {**VECTORS, "num_heads": 6, "num_kv_heads": 2},
    "own widths": WIDE,
    "identity": {**VECTORS, "projection": {"kind": "identity"}},
    "identity of other widths": {**WIDE, "projection": {"kind": "identity"}},
    "given weights": given(w_o=normal(13, 6, 6)),
    "given weights, some biases": given(
        w_o=normal(13, 6, 6), b_k=normal(14, 6), b_o=normal(15, 6)
    ),
    "given weights without output": given(b_q=normal(16, 6), b_v=normal(17, 6)),
    "given weights to another width": given(w_o=normal(13, 11, 6), b_o=normal(15, 11)),
    "memory": MEMORY,
    "memory of the same width": {**MEMORY, "memory": normal(7, 2, 5, 6)},
    "cache": CACHED,
    "cache of grouped vectors": {
        **VECTORS, **past(K=1, D=3, Dv=3), "num_kv_heads": 1, "masks": [{"kind": "causal"}],
    },
    "labels": {**VECTORS, "tokens": ['"""', "\\", "\n", "import os", "{x}"]},
    "bytes": {"x": normal(18, 7, 17), "num_heads": 1, "masks": [{"kind": "causal"}]},
    "one query, many keys": {
        **direct(T=1, S=1103), "masks": [{"kind": "causal", "offset": 700}],
    },
    "many keys, biased": {
        **direct(T=2, S=1103, H=4), "biases": [{"kind": "alibi"}], "masks": [{"kind": "causal"}],
    },
    "an empty cache": {**HEADS, "past_k": empty("2,2,0,4"), "past_v": empty("2,2,0,3")},
    "bytes of every kind": masked(
        {"kind": "padding", "keep": normal(19, 2, 101) > -1},
        {"kind": "documents", "ids": np.arange(101) // 40},
        base=direct(T=101, S=101),
    ),
}  # fmt: skip
MASKS: dict[str, Spec] = {
    "causal": masked({"kind": "causal"}),
    "causal of a square": masked({"kind": "causal"}, base=SQUARE),
    "causal top-left": masked({"kind": "causal", "alignment": "top_left"}),
    "causal bottom-right": masked({"kind": "causal", "alignment": "bottom_right"}),
    "causal offset 0": masked({"kind": "causal", "offset": 0}, base=CACHED),
    "causal offset 1": masked({"kind": "causal", "offset": 1}),
    "causal offset per sequence": masked({"kind": "causal", "offset": [2, 0]}),
    "causal behind a cache": masked({"kind": "causal"}, base=CACHED),
    "causal top-left with a cache": masked(
        {"kind": "causal", "alignment": "top_left"}, base=CACHED
    ),
    "causal of vectors": masked({"kind": "causal"}, base=VECTORS),
    "lengths": masked({"kind": "padding", "lengths": [5, 2]}),
    "keep": masked({"kind": "padding", "keep": [[1, 1, 0, 1, 1], [0, 0, 1, 1, 1]]}),
    "lengths of vectors": masked({"kind": "padding", "lengths": [5, 2]}, base=VECTORS),
    "two paddings of memory": masked(
        {"kind": "padding", "lengths": [5, 4]},
        {"kind": "padding", "keep": [[0, 1, 1, 1, 1], [1, 1, 1, 1, 1]]},
        base=MEMORY,
    ),
    "window": masked({"kind": "window", "left": 1, "right": 0}),
    "window open to the left": masked({"kind": "window", "right": 1}, base=VECTORS),
    "window open to the right": masked({"kind": "window", "left": 1, "offset": [0, 2]}),
    "window open to both": masked({"kind": "window"}),
    "window bottom-right": masked({"kind": "window", "left": 1, "alignment": "bottom_right"}),
    "prefix": masked({"kind": "prefix", "length": 2}),
    "prefix per sequence": masked({"kind": "prefix", "length": [2, 3], "offset": -1}),
    "documents": masked({"kind": "documents", "ids": [0, 0, 1, 1, 1]}, base=SQUARE),
    "documents per sequence": masked(
        {"kind": "documents", "ids": [[0, 0, 1, 1, 1], [4, 7, 7, 4, 4]]}, base=VECTORS
    ),
    "allowed": masked({"kind": "matrix", "convention": "allowed", "values": SEEN | (SEEN < 1)}),
    "allowed keys": masked({"kind": "matrix", "convention": "allowed", "values": [1, 0, 1, 1, 0]}),
    "blocked": masked(
        {"kind": "matrix", "convention": "blocked", "values": ~SEEN},
        {"kind": "causal", "offset": 9},
    ),
    "blocked per head": masked(
        {"kind": "matrix", "convention": "blocked", "values": np.eye(3, 5)[None].repeat(2, 0) > 0}
    ),
    "blocked of vectors": masked(
        {"kind": "matrix", "convention": "blocked", "values": np.eye(5)}, base=VECTORS
    ),
    "additive": masked(
        {"kind": "matrix", "convention": "additive", "values": np.where(SEEN, 0.5, -np.inf)},
    ),
    "additive of vectors": masked(
        {"kind": "matrix", "convention": "additive", "values": np.where(np.eye(5), -np.inf, 0.25)},
        {"kind": "causal", "offset": 1},
        base=VECTORS,
    ),
    "three masks, one twice": masked(
        {"kind": "causal", "offset": 2},
        {"kind": "padding", "lengths": [5, 4]},
        {"kind": "window", "left": 2},
        {"kind": "window", "right": 2},
        base=GROUPED,
    ),
}
BLIND = masked({"kind": "padding", "lengths": [5, 0]})
SCORES: dict[str, Spec] = {
    "scale 1": {**HEADS, "scale": 1},
    "scale": {**GROUPED, "scale": 0.25, "masks": [{"kind": "causal"}]},
    "negative scale": {**HEADS, "scale": -0.75},
    "scale of vectors": {**VECTORS, "scale": 0.5},
    "softcap": {**HEADS, "softcap": 1.5},
    "bias": {**GROUPED, "biases": [{"kind": "matrix", "values": normal(20, 2, 6, 3, 5)}]},
    "bias of keys": {**HEADS, "biases": [{"kind": "matrix", "values": normal(21, 5)}]},
    "bias of vectors": {
        **masked({"kind": "padding", "lengths": [5, 2]}, base=VECTORS),
        "biases": [{"kind": "matrix", "values": normal(22, 2, 5, 5)}],
    },
    "bias that blocks": {
        **HEADS, "biases": [{"kind": "matrix", "values": [0, "-Infinity", 0, 0, 1]}],
    },
    "alibi": {**direct(H=4, K=2), "biases": [{"kind": "alibi"}]},
    "alibi of six heads": {**GROUPED, "biases": [{"kind": "alibi"}]},
    "alibi with a cache and a bias": {
        **CACHED,
        "biases": [{"kind": "alibi", "slopes": [0.5, 2]}, {"kind": "matrix", "values": [[0.25]]}],
        "masks": [{"kind": "causal"}],
    },
    "alibi of vectors": {**VECTORS, "biases": [{"kind": "alibi"}]},
    "sinks": {**GROUPED, "sinks": normal(23, 6), "masks": [{"kind": "causal"}]},
    "dropout": {**GROUPED, "dropout": {"p": 0.3, "seed": 11}},
    "dropout of vectors": {**VECTORS, "dropout": {"p": 0.5, "seed": 2**62 + 1}},
    "finite fill": {**masked({"kind": "causal"}), "fill": -1e9},
    "small fill": {**masked({"kind": "causal"}, base=VECTORS), "fill": -2.5},
    "fill that blocks nothing": {**HEADS, "fill": -1e9},
    "after softmax": {**masked({"kind": "causal"}), "mask_order": "after_softmax"},
    "after softmax, additive": {
        **masked({"kind": "matrix", "convention": "additive",
                  "values": np.where(SEEN, 0.5, -np.inf)}),
        "mask_order": "after_softmax",
    },
    "blind zero": {**BLIND, "fully_masked": "zero"},
    "blind nan": {**BLIND, "fully_masked": "nan"},
    "blind uniform": {**BLIND, "fully_masked": "uniform"},
    "blind zero with a finite fill": {**BLIND, "fully_masked": "zero", "fill": -1e4},
    "blind with sinks": {**BLIND, "sinks": [0.5, -1]},
    "blind vectors nan": {**BLIND, **VECTORS, "q": None, "k": None, "v": None,
                          "fully_masked": "nan"},
    "blind vectors zero": {**BLIND, **VECTORS, "q": None, "k": None, "v": None},
    "seeing, nan": {**masked({"kind": "causal"}, base=VECTORS), "fully_masked": "nan"},
}  # fmt: skip
TABLE = normal(24, 2, 3, 2)
ROTARY: dict[str, Spec] = {
    "half": {**VECTORS, "num_heads": 3, "rope": {"style": "half"}},
    "interleaved": {**HEADS, "rope": {"style": "interleaved"}},
    "half in part, base 100": {**HEADS, "rope": {"style": "half", "dim": 2, "base": 100}},
    "interleaved in part": {**HEADS, "rope": {"style": "interleaved", "dim": 2}},
    "positions": {**SQUARE, "rope": {"style": "half", "positions": [4, 0, 1, 9, 9]}},
    "positions per sequence": {
        **HEADS,
        "rope": {
            "style": "interleaved",
            "positions": [[0, 1, 2], [5, 6, 7]],
            "key_positions": [[0, 1, 2, 3, 4], [3, 4, 5, 6, 7]],
        },
    },
    "positions of queries alone": {**HEADS, "rope": {"style": "half", "positions": [7, 8, 9]}},
    "behind a cache": {
        **CACHED, "rope": {"style": "half"}, "masks": [{"kind": "causal"}],
    },
    "tables, half": {
        **direct(S=3),
        "rope": {"style": "half", "cos": np.cos(np.tile(TABLE, 2)),
                 "sin": np.sin(np.tile(TABLE, 2))},
    },
    "tables, interleaved in part": {
        **direct(S=3),
        "rope": {"style": "interleaved", "cos": np.cos(np.repeat(TABLE[0, :, :1], 2, -1)),
                 "sin": np.sin(np.repeat(TABLE[0, :, :1], 2, -1))},
    },
    "norm": {**HEADS, "qk_norm": {}},
    "norm of each head": {
        **GROUPED,
        "qk_norm": {"eps": 0.1, "q_weight": normal(25, 4), "k_weight": normal(26, 4)},
    },
    "norm of the full width, rotated": {
        **VECTORS, "num_heads": 3, "num_kv_heads": 3, "rope": {"style": "half"},
        "qk_norm": {"q_weight": normal(25, 6), "k_weight": normal(26, 6)},
    },
    "norm of one": {**HEADS, "qk_norm": {"k_weight": normal(26, 8)}},
}  # fmt: skip
ODD_KEYS = np.where(np.arange(5)[:, None] == 4, np.nan, normal(2, 2, 2, 5, 4))
ODD_VALUES = np.where(np.arange(5)[:, None] == 4, np.inf, normal(3, 2, 2, 5, 3))
NUMBERS: dict[str, Spec] = {
    "NaN in a masked key": {**masked({"kind": "causal"}), "k": ODD_KEYS},
    "NaN in a key": {**HEADS, "k": ODD_KEYS},
    "infinity in a masked value": {**masked({"kind": "causal"}), "v": ODD_VALUES},
    "minus zero": {**HEADS, "sinks": [-0.0, 1e-30]},
    "far apart": {**HEADS, "q": 40 * HEADS["q"]},
}
EVERYTHING: Spec = {
    **VECTORS,
    **past(K=2, D=4, Dv=5),
    "num_heads": 4, "num_kv_heads": 2, "head_dim": 4, "value_dim": 5,
    "qk_norm": {"eps": 1e-5}, "rope": {"style": "half", "dim": 2}, "scale": 0.4, "softcap": 2.0,
    "biases": [{"kind": "alibi"}, {"kind": "matrix", "values": normal(27, 5, 7)}],
    "masks": [{"kind": "causal"}, {"kind": "padding", "lengths": [7, 0]}],
    "sinks": normal(28, 4), "fill": -1e4, "fully_masked": "uniform",
    "dropout": {"p": 0.25, "seed": 3},
}  # fmt: skip
GRID: dict[str, Spec] = {
    **{example["name"]: example["spec"] for example in EXAMPLES},
    **INPUTS,
    **MASKS,
    **SCORES,
    **ROTARY,
    **NUMBERS,
    "everything at once": EVERYTHING,
}


def shares_kv_heads(spec: Spec) -> bool:
    if spec.get("q") is None:
        return spec.get("num_kv_heads") not in (None, spec.get("num_heads"))
    return np.ndim(spec["q"]) > 2 and np.shape(spec["q"])[-3] != np.shape(spec["k"])[-3]


def has_value_width(spec: Spec) -> bool:
    if spec.get("q") is None:
        return "value_dim" in spec
    return np.shape(spec["q"])[-1] != np.shape(spec["v"])[-1]


FUSED = {
    "no softcap": {"softcap", "everything at once"},
    "no sinks": {"sinks", "blind with sinks", "minus zero", "everything at once"},
    "finite fill": {
        "finite fill",
        "small fill",
        "blind zero with a finite fill",
        "everything at once",
    },
    "cannot make the mistake": {"after softmax", "after softmax, additive"},
    "dropout draws": {"dropout", "dropout of vectors", "everything at once"},
    "depends on its kernel": {"NaN in a masked key", "NaN in a key", "infinity in a masked value"},
}
"""Phrases of what both of PyTorch's own functions lack, and who asks for it."""
SDPA = {
    **FUSED,
    "answers 0": {"blind nan", "blind uniform", "blind vectors nan", "everything at once"},
}
MODULE = {
    **FUSED,
    "no ready heads": {name for name, spec in GRID.items() if spec.get("x") is None},
    "no GQA": {name for name, spec in GRID.items() if shares_kv_heads(spec)},
    "num_heads * head_dim must be E": {
        "own widths",
        "identity of other widths",
        "everything at once",
    },
    "w_o must lead back to E": {"given weights to another width", "identity of other widths"},
    "value_dim must be head_dim": {name for name, spec in GRID.items() if has_value_width(spec)},
    "sqrt(head_dim)": {name for name, spec in GRID.items() if "scale" in spec},
    "rotary": {name for name, spec in GRID.items() if "rope" in spec},
    "normalise": {name for name, spec in GRID.items() if "qk_norm" in spec},
    "no cache": {
        name for name, spec in GRID.items() if "past_k" in spec and name != "an empty cache"
    },
    "answers NaN": {
        "left_padding_causal",
        "stability",
        "blind zero",
        "blind uniform",
        "blind zero with a finite fill",
        "blind with sinks",
        "blind vectors zero",
        "everything at once",
    },
}
LACKING: dict[str, dict[str, set[str]]] = {
    "explicit": {},
    "numpy": {},
    "sdpa": SDPA,
    "multihead_attention": MODULE,
}


def lacking(name: str, style: str, dtype: str) -> set[str]:
    """Phrases of the reasons that a style gives for not saying a specification."""
    found = {phrase for phrase, names in LACKING[style].items() if name in names}
    if style == "numpy" and dtype == "bfloat16":
        found.add("no bfloat16")
    if name == "finite fill" and dtype == "float16":
        found.discard("finite fill")  # -1e9 is beyond float16 and becomes -inf
    if name == "stability" and dtype == "float16" and style in ("sdpa", "multihead_attention"):
        found.add("depends on its kernel")  # its dot product of 90,000 is infinite there
    return found
