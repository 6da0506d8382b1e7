"""Named ready specifications; the first is what a first visit shows."""

from __future__ import annotations

from typing import Any

import numpy as np


def vectors(seed: int, *shape: int) -> list[Any]:
    """Seeded normal vectors with two decimals, as a person could have typed them."""
    numbers: list[Any] = np.random.RandomState(seed).standard_normal(shape).round(2).tolist()
    return numbers


def _heads(*rows: tuple[float, float]) -> list[list[float]]:
    return [list(row) for row in rows]


HAND_WORKED = {
    "name": "hand_worked",
    "title": "By hand: 3 tokens, one head of width 2",
    "description": (
        "Small enough for paper. Row 3 has scores 0.70711, 0.70711, 1.41421 and weights"
        " 0.24826, 0.24826, 0.50349, so its output is 0.75174, 1.00000; textbooks that round"
        " the weights first print 0.751 and 0.999."
    ),
    "spec": {
        "q": _heads((1, 0), (0, 1), (1, 1)),
        "k": _heads((1, 0), (0, 1), (1, 1)),
        "v": _heads((1, 0), (0, 2), (1, 1)),
        "tokens": ["one", "two", "three"],
    },
}

CAUSAL = {
    "name": "causal_4",
    "title": "Causal: 4 tokens, 2 heads",
    "description": "No token sees a later one: the upper triangle is masked before the softmax.",
    "spec": {
        "x": vectors(4, 4, 4),
        "tokens": ["the", "cat", "sat", "down"],
        "num_heads": 2,
        "masks": [{"kind": "causal"}],
    },
}

PADDED = {
    "name": "padded_batch",
    "title": "Padded batch: lengths 5 and 3",
    "description": (
        "Two sequences in one batch; the shorter is filled up on the right, and the padding"
        " mask hides the filling from every query."
    ),
    "spec": {
        "x": [vectors(11, 5, 4), vectors(12, 3, 4) + [[0.0] * 4] * 2],
        "tokens": [["I", "saw", "the", "red", "fox"], ["we", "ran", "home", "[pad]", "[pad]"]],
        "num_heads": 2,
        "masks": [{"kind": "padding", "lengths": [5, 3]}],
    },
}

LEFT_PADDING = {
    "name": "left_padding_causal",
    "title": "Left padding + causal: rows that see nothing",
    "description": (
        "With the filling on the left, the first queries of the short sequence see no key at"
        " all. Their weights are 0 here, NaN by the plain formula, uniform in JAX and Hugging"
        " Face: choose under fully masked rows."
    ),
    "spec": {
        "x": [vectors(11, 5, 4), [[0.0] * 4] * 2 + vectors(12, 3, 4)],
        "tokens": [["I", "saw", "the", "red", "fox"], ["[pad]", "[pad]", "we", "ran", "home"]],
        "num_heads": 2,
        "masks": [{"kind": "causal"}, {"kind": "padding", "keep": [[1] * 5, [0, 0, 1, 1, 1]]}],
    },
    "view": {"batch": 1},
}

GQA = {
    "name": "gqa_8_2",
    "title": "GQA: 8 query heads on 2 KV heads, width 512",
    "description": (
        "Four query heads read one KV head each: heads 0 to 3 share keys and values, 4 to 7"
        " the others. The cache is a quarter of what 8 KV heads would need."
    ),
    "spec": {
        "x": vectors(5, 5, 512),
        "tokens": ["to", "be", "or", "not", "be"],
        "num_heads": 8,
        "num_kv_heads": 2,
        "projection": {"kind": "random", "seed": 0, "bias": False},
        "masks": [{"kind": "causal"}],
    },
}

MQA = {
    "name": "mqa",
    "title": "MQA: 4 query heads on one KV head",
    "description": "Every query head asks its own question of the same keys and values.",
    "spec": {
        "x": vectors(6, 6, 8),
        "tokens": ["the", "dog", "chased", "the", "other", "dog"],
        "num_heads": 4,
        "num_kv_heads": 1,
        "masks": [{"kind": "causal"}],
    },
}

CROSS = {
    "name": "cross_3x5",
    "title": "Cross-attention: 3 queries, 5 keys",
    "description": (
        "Queries come from x, keys and values from memory: the matrix is 3 × 5 and each row"
        " still sums to 1."
    ),
    "spec": {
        "x": vectors(7, 3, 4),
        "memory": vectors(8, 5, 6),
        "tokens": ["le", "chat", "dort"],
        "memory_tokens": ["the", "cat", "is", "asleep", "."],
        "num_heads": 2,
    },
}

SATURATION = {
    "name": "saturation",
    "title": "Softmax saturation: the same direction, up to 20 times longer",
    "description": (
        "Queries twice, five and twenty times as long ask the same question, but their scores"
        " spread: the weights harden towards one key. The scale is 1 here, so that the scores are"
        " the plain products; dividing by sqrt(D) keeps width from doing the same."
    ),
    "spec": {
        "q": _heads((0.5, 0.2), (1.0, 0.4), (2.5, 1.0), (10.0, 4.0)),
        "k": _heads((1, 0), (0, 1), (1, 1), (0.5, 0.5)),
        "v": _heads((1, 0), (0, 1), (1, 1), (0.5, 0.5)),
        "tokens": ["x1", "x2", "x5", "x20"],
        "memory_tokens": ["k0", "k1", "k2", "k3"],
        "scale": 1.0,
    },
}

STABILITY = {
    "name": "stability",
    "title": "Numbers too large: rows that overflow one dtype after another",
    "description": (
        "Scores near 1, 20, 100, 90,000 and -30,000, and a row that sees no key; the last key is"
        " masked. float32 holds them all. Stability, below, tries them in 16 bits, with a softmax"
        " that subtracts no maximum, and with -1e9, -1e4 and the dtype's minimum in place of"
        " -inf."
    ),
    "spec": {
        "q": _heads((1, 0.5), (20, 0), (100, 0), (60000, 60000), (-30000, 0), (1, 0)),
        "k": _heads((1, 0.5), (0.5, 0.2), (0.25, 1)),
        "v": _heads((1, 0), (0, 1), (9, 9)),
        "tokens": ["near 1", "20", "100", "90,000", "-30,000", "nothing"],
        "memory_tokens": ["k0", "k1", "masked"],
        "scale": 1.0,
        "masks": [
            {
                "kind": "matrix",
                "convention": "allowed",
                "values": [*([[1, 1, 0]] * 5), [0, 0, 0]],
            }
        ],
    },
}

READINGS = {
    "name": "readings",
    "title": "One mask, read in several ways: 3 queries, 7 keys",
    "description": (
        "Three queries stand at the end of seven keys, as on a cache, so the corners of the"
        " causal mask are apart. Readings, below, reads the same zeros and ones as allowed, as"
        " blocked and as numbers to add, aligns the mask in both corners, and counts a window"
        " with and without the token itself."
    ),
    "spec": {
        "q": vectors(21, 3, 2),
        "k": vectors(22, 7, 2),
        "v": vectors(23, 7, 2),
        "tokens": ["on", "the", "mat"],
        "memory_tokens": ["the", "old", "cat", "sat", "on", "the", "mat"],
        "masks": [{"kind": "causal", "alignment": "bottom_right"}],
    },
}

EXAMPLES: list[dict[str, Any]] = [
    HAND_WORKED,
    CAUSAL,
    PADDED,
    LEFT_PADDING,
    GQA,
    MQA,
    CROSS,
    SATURATION,
    STABILITY,
    READINGS,
]
