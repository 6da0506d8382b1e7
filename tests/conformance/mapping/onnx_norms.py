"""The ONNX operators ``RMSNormalization`` and ``LayerNormalization``, said with ``qk_norm``.

Both work on the axes from ``axis`` to the last, as one: here a row of n numbers, which is one
token whose only head has width n.

RMS norm is ``qk_norm`` on heads given directly. Layer norm is RMS norm of the centred row, plus a
bias: y = (x - mean) / sqrt(mean((x - mean)^2) + eps) * Scale + B. Centring is linear, so it is
said as a projection, W = I - 11ᵀ/n; ``qk_norm`` does the rest, and B is added to what comes back.
"""

from __future__ import annotations

import math

import numpy as np

from ..exchange import Array, Specification
from ..vectors import Vector


def row_width(case: Vector) -> int:
    """n, the number of elements that are normalised together."""
    shape = case.inputs["X"].shape
    return math.prod(shape[case.facts["attributes_effective"]["axis"] :])


def rows(case: Vector) -> Array:
    return case.inputs["X"].reshape(-1, row_width(case))


def rms_specification(case: Vector) -> Specification:
    tokens = rows(case)
    scale = case.inputs["scale"].reshape(-1)
    norm = {"eps": epsilon(case), "q_weight": scale, "k_weight": scale}
    return {"q": tokens, "k": tokens, "v": tokens, "qk_norm": norm}


def layer_specification(case: Vector) -> Specification:
    """q is the normalised row without B; k the same with unit weight; v the mean, n times."""
    width = row_width(case)
    mean = np.full((width, width), 1 / width, dtype=np.float32)
    centring = np.eye(width, dtype=np.float32) - mean
    ones = np.ones(width, dtype=np.float32)
    scale = case.inputs["Scale"].reshape(-1)
    return {
        "x": rows(case),
        "num_heads": 1,
        "projection": {"kind": "given", "w_q": centring, "w_k": centring, "w_v": mean},
        "qk_norm": {"eps": epsilon(case), "q_weight": scale, "k_weight": ones},
    }


def epsilon(case: Vector) -> float:
    return float(case.facts["attributes_effective"]["epsilon"])


def inverse_deviation(case: Vector, standardised: Array) -> Array:
    """The factor between each centred row and the standardised one that came back."""
    tokens = rows(case).astype(np.float64)
    centred = tokens - tokens.mean(axis=1, keepdims=True)
    factors: Array = (standardised * centred).sum(axis=1) / (centred * centred).sum(axis=1)
    return factors
