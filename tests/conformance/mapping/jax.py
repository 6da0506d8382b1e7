"""``jax.nn.dot_product_attention``, one function for each of its arguments.

JAX writes [B][T][H][D]. Its boolean mask means "takes part", its bias is added to the scaled
scores, its causal corner is the top left one and its window counts from key 0 for any T and S.
"""

from __future__ import annotations

import numpy as np

from ..exchange import Array, Specification
from ..vectors import Vector
from .layout import swap_heads_and_length


def specification(case: Vector, fully_masked: str) -> Specification:
    return {
        **heads(case),
        **scale(case),
        "biases": bias(case),
        "masks": [
            *mask(case),
            *causal(case),
            *window(case),
            *key_lengths(case),
            *query_lengths(case),
        ],
        "fully_masked": fully_masked,
        "dtype": case.dtype,
    }


def heads(case: Vector) -> Specification:
    names = {"q": "query", "k": "key", "v": "value"}
    return {ours: swap_heads_and_length(case.inputs[theirs]) for ours, theirs in names.items()}


def scale(case: Vector) -> Specification:
    factor = case.facts["attributes"]["scale"]
    return {} if factor is None else {"scale": factor}


def bias(case: Vector) -> list[Specification]:
    values = case.inputs.get("bias")
    return [] if values is None else [{"kind": "matrix", "values": values}]


def mask(case: Vector) -> list[Specification]:
    values = case.inputs.get("mask")
    if values is None:
        return []
    return [{"kind": "matrix", "values": values, "convention": "allowed"}]


def causal(case: Vector) -> list[Specification]:
    if not case.facts["attributes"]["is_causal"]:
        return []
    return [{"kind": "causal", "alignment": "top_left"}]


def window(case: Vector) -> list[Specification]:
    """A pair (left, right); a single number means the same on both sides."""
    size = case.facts["attributes"]["local_window_size"]
    if size is None:
        return []
    left, right = (size, size) if isinstance(size, int) else size
    return [{"kind": "window", "left": left, "right": right, "offset": 0}]


def key_lengths(case: Vector) -> list[Specification]:
    lengths = case.inputs.get("key_value_seq_lengths")
    return [] if lengths is None else [{"kind": "padding", "lengths": lengths}]


def query_lengths(case: Vector) -> list[Specification]:
    """Queries beyond the length see nothing: a [B][1][T][1] matrix blocks their whole rows."""
    if "query_seq_lengths" not in case.inputs:
        return []
    real = ~beyond_query_length(case)[:, :1, :, None]
    return [{"kind": "matrix", "values": real, "convention": "allowed"}]


def beyond_query_length(case: Vector) -> Array:
    """[B][H][T]: the rows whose output JAX sets to exactly 0."""
    batch, length, heads = case.inputs["query"].shape[:3]
    limits = case.inputs.get("query_seq_lengths", np.full(batch, length))
    beyond = np.arange(length) >= limits[:, None]
    return np.broadcast_to(beyond[:, None, :], (batch, heads, length))


def rows_under(case: Vector, fully_masked: str) -> Array:
    """[B][H][T]: the rows that JAX computes as this policy says.

    A row that sees no key is the mean of all values ("uniform"), unless it is beyond its query
    length: then it is 0 ("zero"). Rows that see something are the same under both policies.
    """
    empty, beyond = case.outputs["empty_rows"], beyond_query_length(case)
    return ~beyond if fully_masked == "uniform" else beyond | ~empty
