"""The vectors, weights and settings of the report cases; a function for each way to give them."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import numpy as np

from ..exchange import Array, Specification

Given = dict[str, Any]


def heads(given: Given) -> Specification:
    q, k, v = (np.asarray(given[name], dtype=np.float64) for name in ("q", "k", "v"))
    if q.ndim == 3:
        return projected_features(q, k, v, given["num_heads"])
    return {"q": q, "k": k, "v": v}


def projected_features(q: Array, k: Array, v: Array, num_heads: int) -> Specification:
    """q, k and v as [B][L][d_model], heads not split yet.

    The API splits what it projects: so one token is q, k and v side by side, and each projection
    picks its own third.
    """
    width = q.shape[-1]
    pick_q, pick_k, pick_v = np.split(np.eye(3 * width), 3)
    return {
        "x": np.concatenate([q, k, v], axis=-1),
        "num_heads": num_heads,
        "head_dim": width // num_heads,
        "projection": {"kind": "given", "w_q": pick_q, "w_k": pick_k, "w_v": pick_v},
    }


def tokens(given: Given) -> Specification:
    """Token vectors, with the weight of the case where it has one."""
    said: Specification = {
        "x": np.asarray(given["x"], dtype=np.float64),
        "num_heads": given.get("num_heads", 1),
    }
    if "fused_weight" in given:
        said |= fused(given)
    if "weight" in given:
        said |= conv1d(given)
    return said


def fused(given: Given) -> Specification:
    """One [out][in] matrix for q, k and v, split by hand as its layout says."""
    split = FUSED_LAYOUTS[given["layout"].split()[0]]
    weight, width = np.asarray(given["fused_weight"]), given["d_head"]
    w_q, w_k, w_v = split(weight, given["num_heads"], given["num_kv_heads"], width)
    return {
        "num_kv_heads": given["num_kv_heads"],
        "head_dim": width,
        "projection": {"kind": "given", "w_q": w_q, "w_k": w_k, "w_v": w_v},
    }


Parts = tuple[Array, Array, Array]


def blocks(weight: Array, num_heads: int, num_kv_heads: int, width: int) -> Parts:
    """All of Q, then all of K, then all of V; with one KV head, Falcon's multi-query layout."""
    q_rows, kv_rows = num_heads * width, num_kv_heads * width
    q, k, v = np.split(weight, [q_rows, q_rows + kv_rows])
    return q, k, v


def per_kv_group(weight: Array, num_heads: int, num_kv_heads: int, width: int) -> Parts:
    """For each KV head: its query heads, then its key, then its value."""
    group = num_heads // num_kv_heads
    by_group = weight.reshape(num_kv_heads, group + 2, width, -1)
    parts = by_group[:, :group], by_group[:, group], by_group[:, group + 1]
    q, k, v = (part.reshape(-1, weight.shape[1]) for part in parts)
    return q, k, v


def per_head(weight: Array, num_heads: int, num_kv_heads: int, width: int) -> Parts:
    """For each head its own query, key and value: groups of one."""
    return per_kv_group(weight, num_heads, num_kv_heads, width)


FUSED_LAYOUTS: dict[str, Callable[[Array, int, int, int], Parts]] = {
    "blocks": blocks,
    "multi_query": blocks,
    "per_kv_group": per_kv_group,
    "per_head": per_head,
}


def conv1d(given: Given) -> Specification:
    """[in][out], as GPT-2 keeps it, turned into the [out][in] that the API takes."""
    return same_weight_thrice(np.asarray(given["weight"]).T)


def same_weight_thrice(weight: Array) -> Specification:
    """A single projection under test: q, k and v all show x Wᵀ."""
    return {"projection": {"kind": "given", "w_q": weight, "w_k": weight, "w_v": weight}}


def file(given: Given) -> Specification:
    """A float16 .npy file, decoded here; its numbers meet float64 weights in the API."""
    stored = np.load(io.BytesIO(base64.b64decode(given["file"]["base64"])))
    np.testing.assert_array_equal(stored, np.asarray(given["x_as_stored"]))
    weights = {f"w_{name}": weight(given[f"W_{name}"], stored.shape[-1]) for name in "qkv"}
    projection = {"kind": "given", **weights}
    return {"x": stored, "num_heads": given["num_heads"], "projection": projection}


def weight(said: Any, width: int) -> Array:
    return np.eye(width) if said == "identity" else np.asarray(said)


def values_seen_alone(given: Given) -> Specification:
    """Head outputs are not an input: each query sees only its own key, so they are the values."""
    values = np.asarray(given["per_head_output"])
    alone = np.eye(values.shape[2], dtype=bool)
    mask = {"kind": "matrix", "values": alone, "convention": "allowed"}
    return {"q": values, "k": values, "v": values, "masks": [mask]}


def softmax_one(given: Given) -> Specification:
    """1 in the denominator is a sink whose logit is 0."""
    assert given["softmax"].startswith("one")
    num_heads = np.asarray(given["q"]).shape[1]
    return {"sinks": np.zeros(num_heads)}


def rope(given: Given) -> Specification:
    """The style is what the case asks about: each reading adds its own."""
    said = given["rope"]
    positions = np.asarray(said["positions"], dtype=np.int32)
    return {"rope": {"base": said["theta"], "positions": positions}}


def matrix_bias(values: Any) -> Specification:
    return {"kind": "matrix", "values": np.asarray(values, dtype=np.float64)}


def alibi_scaled_with_the_scores(given: Given) -> Specification:
    """Falcon scales q·k and the bias together; the API adds biases after the scale."""
    assert given["convention"] == "falcon"
    head_dim = np.asarray(given["q"]).shape[-1]
    values = np.asarray(given["alibi_bias_unscaled"]) / np.sqrt(head_dim)
    return {"biases": [matrix_bias(values)]}


def alibi(given: Given) -> Specification:
    return {"kind": "alibi", "slopes": np.asarray([given["alibi_slope"]], dtype=np.float64)}


def alibi_matrix(said: Specification, bias: Specification) -> Array:
    """-slope · |query - key|, written out."""
    queries = np.arange(said["q"].shape[2])[:, None]
    keys = np.arange(said["k"].shape[2])[None, :]
    matrices: Array = -bias["slopes"][:, None, None] * np.abs(queries - keys)
    return matrices
