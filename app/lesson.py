"""The lesson: for each step a state of the page, and changes of it that are worth trying."""

from __future__ import annotations

from typing import Any

from app.examples import EXAMPLES, vectors

READY: dict[str, dict[str, Any]] = {example["name"]: example["spec"] for example in EXAMPLES}
CAUSAL = {"kind": "causal"}
UNIT = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
WORDS = ["the", "cat", "sat", "on", "a", "mat"]
LOWER = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]


def _step(
    name: str, spec: dict[str, Any], tries: dict[str, dict[str, Any]], **view: Any
) -> dict[str, Any]:
    """A step; each try sets fields of its specification, and None takes one away."""
    changed = [{"name": key, "spec": _changed(spec, change)} for key, change in tries.items()]
    return {"name": name, "spec": spec, "view": view, "tries": changed}


def _changed(spec: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in {**spec, **change}.items() if value is not None}


def _drawn(kind: str, *shape: int, seed: int) -> dict[str, Any]:
    return {"random": {"shape": list(shape), "seed": seed, "kind": kind}}


MATCH_AND_MIX = _step(
    "match_and_mix",
    {
        "q": [[2, 0], [1, 1], [0, 2]],
        "k": [[2, 0], [1, 1], [0, 2]],
        "v": [[10, 0, 0], [0, 10, 0], [0, 0, 10]],
        "tokens": ["river", "bank", "money"],
    },
    {
        "other_values": {"v": [[5, 5, 5], [-1, 0, 1], [0, 0, 2]]},
        "other_keys": {"k": [[0, 2], [1, 1], [2, 0]]},
    },
)

SHAPES = _step(
    "shapes",
    {
        "x": vectors(21, 5, 6),
        "tokens": WORDS[:5],
        "num_heads": 3,
    },
    {
        "one_head": {"num_heads": 1},
        "wide_heads": {"head_dim": 7, "value_dim": 4},
        "kv_shared": {"num_kv_heads": 1},
    },
)

BY_HAND = _step(
    "by_hand",
    READY["hand_worked"],
    {"unscaled": {"scale": 1}, "causal": {"masks": [CAUSAL]}},
    cell={"query": 2, "key": 2},
)

SCALE = _step(
    "scale",
    {
        "q": _drawn("normal", 8, 64, seed=1),
        "k": _drawn("normal", 8, 64, seed=2),
        "v": _drawn("normal", 8, 64, seed=3),
    },
    {
        "unscaled": {"scale": 1},
        "wide": {
            "q": _drawn("normal", 8, 512, seed=1),
            "k": _drawn("normal", 8, 512, seed=2),
            "scale": 1,
        },
        "narrow": {
            "q": _drawn("normal", 8, 4, seed=1),
            "k": _drawn("normal", 8, 4, seed=2),
            "scale": 1,
        },
    },
)

SATURATION = _step(
    "saturation",
    {
        "q": [[1], [10], [100]],
        "k": [[0.2], [0.5], [0.8]],
        "v": UNIT,
        "tokens": ["×1", "×10", "×100"],
        "memory_tokens": ["0.2", "0.5", "0.8"],
    },
    {"divided": {"scale": 0.1}},
    cell={"query": 0, "key": 2},
)

ROWS = _step(
    "rows",
    {
        "q": [[1, 0], [0, 2], [2, 1], [-1, 1]],
        "k": [[1, 0], [0, 2], [2, 1], [-1, 1]],
        "v": [[1, 0], [0, 1], [1, 1], [1, -1]],
        "tokens": WORDS[:4],
    },
    {
        "other_keys": {"k": [[0, 1], [1, 1], [2, 0], [1, -1]]},
        "masked_after": {"masks": [CAUSAL], "mask_order": "after_softmax"},
    },
)

MASK_ORDER = _step(
    "mask_order",
    {
        "q": [[1]],
        "k": [[-1.6094379], [-1.2039728], [-0.6931472]],
        "v": UNIT,
        "tokens": ["query"],
        "memory_tokens": ["ln 0.2", "ln 0.3", "ln 0.5"],
        "masks": [{"kind": "matrix", "values": [[1, 1, 0]], "convention": "allowed"}],
    },
    {"after": {"mask_order": "after_softmax"}, "no_mask": {"masks": None}},
    cell={"query": 0, "key": 2},
)

COMBINE = _step(
    "combine",
    {**READY["padded_batch"], "masks": [CAUSAL, {"kind": "padding", "lengths": [5, 3]}]},
    {
        "causal_alone": {"masks": [CAUSAL]},
        "padding_alone": {"masks": [{"kind": "padding", "lengths": [5, 3]}]},
    },
    batch=1,
    stage="allowed",
)

BLIND = _step(
    "blind",
    READY["left_padding_causal"],
    {"nan": {"fully_masked": "nan"}, "uniform": {"fully_masked": "uniform"}},
    batch=1,
)

CONVENTIONS = _step(
    "conventions",
    {
        "q": [[1, 0], [0, 2], [2, 1], [-1, 1]],
        "k": [[1, 0], [0, 2], [2, 1], [-1, 1]],
        "v": [[1, 0], [0, 1], [1, 1], [1, -1]],
        "tokens": WORDS[:4],
        "masks": [{"kind": "matrix", "values": LOWER, "convention": "allowed"}],
    },
    {"blocked": {"masks": [{"kind": "matrix", "values": LOWER, "convention": "blocked"}]}},
)

MIXING = _step(
    "mixing",
    {
        "q": [[2, 0], [0, 2], [1, 1]],
        "k": [[2, 0], [0, 2], [1, -1]],
        "v": [[1, 2], [1, 2], [3, 0]],
        "tokens": ["first", "second", "third"],
    },
    {"other_values": {"v": [[1, 2], [4, -1], [3, 0]]}},
)

HEADS = _step(
    "heads",
    {"x": vectors(22, 5, 12), "tokens": WORDS[:5], "num_heads": 4},
    {"one_head": {"num_heads": 1}, "twelve_heads": {"num_heads": 12}},
)

PATTERNS = _step(
    "patterns",
    {
        "x": vectors(23, 6, 16),
        "tokens": WORDS,
        "num_heads": 4,
        "projection": {"kind": "random", "seed": 0, "bias": False},
        "masks": [CAUSAL],
    },
    {
        "other_seed": {"projection": {"kind": "random", "seed": 1, "bias": False}},
        "third_seed": {"projection": {"kind": "random", "seed": 2, "bias": False}},
    },
)

SHARING = _step(
    "sharing",
    {
        "x": vectors(24, 6, 16),
        "tokens": WORDS,
        "num_heads": 8,
        "num_kv_heads": 2,
        "masks": [CAUSAL],
    },
    {"mha": {"num_kv_heads": 8}, "mqa": {"num_kv_heads": 1}},
    stage="k",
)

CROSSING = _step(
    "cross",
    READY["cross_3x5"],
    {
        "reordered": {name: READY["cross_3x5"][name][::-1] for name in ("memory", "memory_tokens")},
        "itself": {"memory": None, "memory_tokens": None},
    },
)

DECODING = _step(
    "decoding",
    {
        "x": vectors(25, 6, 16),
        "tokens": WORDS,
        "num_heads": 4,
        "num_kv_heads": 2,
        "rope": {"style": "half"},
        "masks": [CAUSAL],
    },
    {"mha": {"num_kv_heads": 4}, "mqa": {"num_kv_heads": 1}},
)

FLASH = _step(
    "flash",
    {"x": _drawn("waves", 96, 32, seed=5), "num_heads": 4, "masks": [CAUSAL]},
    {"no_mask": {"masks": None}, "longer": {"x": _drawn("waves", 384, 32, seed=5)}},
)

LINEAR = _step(
    "linear",
    {
        "q": [[3, 0], [0, 3], [2, 2], [-2, 1], [1, -3]],
        "k": [[2, 0], [0, 2], [1, 1], [-2, 0], [0, -2]],
        "v": [[1, 0], [0, 1], [1, 1], [2, -1], [-1, 2]],
        "tokens": WORDS[:5],
        "masks": [CAUSAL],
    },
    {
        "no_mask": {"masks": None},
        "window": {"masks": [CAUSAL, {"kind": "window", "left": 1, "right": 0}]},
    },
)

CHECKLIST = _step(
    "checklist",
    {
        "x": vectors(26, 6, 16),
        "tokens": WORDS,
        "num_heads": 8,
        "num_kv_heads": 2,
        "head_dim": 4,
        "qk_norm": {"eps": 1e-6},
        "rope": {"style": "half", "base": 10000},
        "softcap": 30,
        "masks": [CAUSAL, {"kind": "window", "left": 3, "right": 0}],
        "sinks": [0.5] * 8,
    },
    {
        "plain": {
            "num_kv_heads": 8,
            "head_dim": None,
            "qk_norm": None,
            "rope": None,
            "softcap": None,
            "masks": None,
            "sinks": None,
        }
    },
)

LESSON: list[dict[str, Any]] = [
    MATCH_AND_MIX,
    SHAPES,
    BY_HAND,
    SCALE,
    SATURATION,
    ROWS,
    MASK_ORDER,
    COMBINE,
    BLIND,
    CONVENTIONS,
    MIXING,
    HEADS,
    PATTERNS,
    SHARING,
    CROSSING,
    DECODING,
    FLASH,
    LINEAR,
    CHECKLIST,
]
"""In the order in which they are read."""
