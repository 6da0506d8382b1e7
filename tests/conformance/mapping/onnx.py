"""The ONNX operator ``Attention`` (opset 23 and 24), one function for each of its attributes.

What the operator and the API say alike needs no mapping: boolean masks mean "allowed", a row
without a visible key is zero, query head h reads KV head h // (H // K), the softcap follows the
scale. ``softmax_precision`` only chooses how one step is rounded, within the stated tolerance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..exchange import Array, Specification
from ..vectors import Vector
from .layout import split_heads


def specification(case: Vector) -> Specification:
    return {
        **heads(case),
        **cache(case),
        **scale(case),
        **softcap(case),
        "masks": [*causal(case), *window(case), *valid_lengths(case), *matrix(case)],
        "fully_masked": "zero",
        "dtype": case.dtype,
    }


def attribute(case: Vector, name: str) -> Any:
    """An attribute of the operator, defaults filled in."""
    return case.facts["attributes_effective"][name]


def is_merged(case: Vector) -> bool:
    """Whether q, k, v and Y are [B][T][H·D]."""
    return case.inputs["Q"].ndim == 3


def heads(case: Vector) -> Specification:
    if not is_merged(case):
        return {"q": case.inputs["Q"], "k": case.inputs["K"], "v": case.inputs["V"]}
    num_heads, num_kv_heads = attribute(case, "q_num_heads"), attribute(case, "kv_num_heads")
    return {
        "q": split_heads(case.inputs["Q"], num_heads),
        "k": split_heads(case.inputs["K"], num_kv_heads),
        "v": split_heads(case.inputs["V"], num_kv_heads),
    }


def cache(case: Vector) -> Specification:
    if "past_key" not in case.inputs:
        return {}
    return {"past_k": case.inputs["past_key"], "past_v": case.inputs["past_value"]}


def scale(case: Vector) -> Specification:
    factor = attribute(case, "scale")
    return {} if factor is None else {"scale": factor}


def softcap(case: Vector) -> Specification:
    """0 is the operator's way to say "none"."""
    cap = attribute(case, "softcap")
    return {"softcap": cap} if cap else {}


def offset(case: Vector) -> Specification:
    """Where queries stand among the keys.

    With valid lengths the queries are the last real positions of each sequence, which can put
    the first of them before key 0. Otherwise they follow the cache: the API's own default.
    """
    lengths = case.inputs.get("nonpad_kv_seqlen")
    if lengths is None:
        return {}
    return {"offset": [int(length) - case.facts["shape"]["q_len"] for length in lengths]}


def causal(case: Vector) -> list[Specification]:
    return [{"kind": "causal", **offset(case)}] if attribute(case, "is_causal") else []


def window(case: Vector) -> list[Specification]:
    """-1 is the operator's way to say "open"; both ends are included, as in the API."""
    left, right = (attribute(case, f"{side}_window_size") for side in ("left", "right"))
    if left == right == -1:
        return []
    sides = {"left": None if left == -1 else left, "right": None if right == -1 else right}
    return [{"kind": "window", **sides, **offset(case)}]


def valid_lengths(case: Vector) -> list[Specification]:
    lengths = case.inputs.get("nonpad_kv_seqlen")
    return [] if lengths is None else [{"kind": "padding", "lengths": lengths}]


def matrix(case: Vector) -> list[Specification]:
    mask = case.inputs.get("attn_mask")
    if mask is None:
        return []
    convention = "allowed" if mask.dtype == bool else "additive"
    values = excluded_to(case.facts["shape"]["total_kv_len"], mask)
    return [{"kind": "matrix", "values": values, "convention": convention}]


def excluded_to(length: int, mask: Array) -> Array:
    """A mask shorter than the keys says nothing of the last ones: they are excluded."""
    missing = length - mask.shape[-1]
    if missing <= 0:
        return mask
    edges = [(0, 0)] * (mask.ndim - 1) + [(0, missing)]
    return np.pad(mask, edges, constant_values=False if mask.dtype == bool else -np.inf)


def score_stage(case: Vector) -> tuple[str, float]:
    """The tensor of the answer that ``qk_matmul_output`` is, and a factor to multiply it by.

    Mode 0 is the scaled score before the softcap. The API's ``scores`` come after the softcap,
    so with one the plain products are scaled here.
    """
    mode = attribute(case, "qk_matmul_output_mode")
    if mode == 0 and attribute(case, "softcap"):
        head_dim: int = case.facts["shape"]["head_dim"]
        return "dot_products", attribute(case, "scale") or head_dim**-0.5
    return ("scores", "scores", "masked_scores", "weights")[mode], 1.0
