"""The ONNX operator ``RotaryEmbedding``: ready tables, applied to heads given directly."""

from __future__ import annotations

import numpy as np

from ..exchange import Array, Specification
from ..vectors import Vector
from .layout import merge_heads, split_heads


def specification(case: Vector) -> Specification:
    """The API rotates q and the new k alike, so X stands as both."""
    heads = heads_of(case)
    style = "interleaved" if case.facts["attributes_effective"]["interleaved"] else "half"
    tables = {name: columns(table(case, name), style) for name in ("cos", "sin")}
    return {"q": heads, "k": heads, "v": heads, "rope": {"style": style, **tables}}


def heads_of(case: Vector) -> Array:
    tokens = case.inputs["X"]
    num_heads = case.facts["attributes_effective"]["num_heads"]
    return tokens if tokens.ndim == 4 else split_heads(tokens, num_heads)


def table(case: Vector, name: str) -> Array:
    """[B][T][R/2]: the cache's rows at the positions, or the cache as it is."""
    cache = case.inputs[f"{name}_cache"]
    positions = case.inputs.get("position_ids")
    return cache if positions is None else cache[positions]


def columns(angles: Array, style: str) -> Array:
    """The operator has one column for each pair, the API one for each rotated dimension."""
    if style == "interleaved":
        return np.repeat(angles, 2, axis=-1)
    return np.concatenate([angles, angles], axis=-1)


def result(case: Vector, rotated: Array) -> Array:
    """The answer's heads in the layout of X."""
    return rotated if case.inputs["X"].ndim == 4 else merge_heads(rotated)
