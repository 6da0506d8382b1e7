"""Ready specifications that are too long to be computed whole; their numbers come from a seed."""

from __future__ import annotations

from typing import Any


def _drawn(*shape: int, kind: str = "waves") -> dict[str, Any]:
    return {"random": {"shape": list(shape), "seed": 0, "kind": kind}}


LONG_CAUSAL = {
    "name": "long_causal",
    "title": "Long: 65,536 tokens, causal",
    "description": (
        "Four billion pairs, each computed, in pictures of at most 512 × 512 cells. Zoom with the"
        " wheel or + until every cell is one pair. q and k are waves along the tokens, so that a"
        " query attends to near keys and to those a wavelength away."
    ),
    "spec": {
        "q": _drawn(65_536, 16),
        "k": _drawn(65_536, 16),
        "v": _drawn(65_536, 16, kind="normal"),
        "masks": [{"kind": "causal"}],
    },
}

LONG_WINDOW = {
    "name": "long_window",
    "title": "Long: 16,384 tokens, sliding window and sinks",
    "description": (
        "Each query sees the 1,024 tokens up to itself and a sink, one logit that takes weight"
        " and gives no value, as in models that stream. Keys that the window hides are not even"
        " computed."
    ),
    "spec": {
        "x": _drawn(16_384, 32),
        "num_heads": 4,
        "num_kv_heads": 2,
        "sinks": [0.0, 2.0, 4.0, 6.0],
        "masks": [{"kind": "causal"}, {"kind": "window", "left": 1023, "right": 0}],
    },
}

LONG_EXAMPLES: list[dict[str, Any]] = [LONG_CAUSAL, LONG_WINDOW]
