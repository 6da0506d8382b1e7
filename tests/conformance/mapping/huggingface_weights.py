"""Where each family of models keeps its projections, as ``projection: given``.

A function for each way of keeping them; all return the weights as [out][in].
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..exchange import Array, Specification
from ..vectors import Vector

Pieces = tuple[Array, Array, Array]


def projection(case: Vector) -> Specification:
    read = FAMILIES[case.facts["model_type"]]
    return {"projection": {"kind": "given", **read(case), **output(case)}}


def named_parts(weights: Pieces, biases: Pieces | None) -> Specification:
    given: Specification = dict(zip(("w_q", "w_k", "w_v"), weights, strict=True))
    if biases is not None:
        given |= zip(("b_q", "b_k", "b_v"), biases, strict=True)
    return given


def separate(*names: str) -> Callable[[Vector], Specification]:
    """A matrix each, with or without a bias."""

    def read(case: Vector) -> Specification:
        modules = [f"{case.facts['attention_module']}.{name}" for name in names]
        q, k, v = (case.weights[f"{module}.weight"] for module in modules)
        if f"{modules[0]}.bias" not in case.weights:
            return named_parts((q, k, v), None)
        b_q, b_k, b_v = (case.weights[f"{module}.bias"] for module in modules)
        return named_parts((q, k, v), (b_q, b_k, b_v))

    return read


def fused_conv1d(case: Vector) -> Specification:
    """GPT-2: [in][out], q, k and v side by side along the output axis."""
    module = f"{case.facts['attention_module']}.c_attn"
    q, k, v = np.split(case.weights[f"{module}.weight"].T, 3)
    b_q, b_k, b_v = np.split(case.weights[f"{module}.bias"], 3)
    return named_parts((q, k, v), (b_q, b_k, b_v))


def fused_per_head(case: Vector) -> Specification:
    """GPT-NeoX: for each head its q rows, then its k rows, then its v rows."""
    module = f"{case.facts['attention_module']}.query_key_value"
    heads, width = case.facts["q_heads"], case.facts["head_dim"]

    def rows(fused: Array) -> Pieces:
        by_head = fused.reshape(heads, 3, width, -1)
        q, k, v = (by_head[:, part].reshape(heads * width, -1) for part in range(3))
        return q, k, v

    b_q, b_k, b_v = (part[:, 0] for part in rows(case.weights[f"{module}.bias"]))
    return named_parts(rows(case.weights[f"{module}.weight"]), (b_q, b_k, b_v))


def output(case: Vector) -> Specification:
    module = case.facts["output_projection"]
    weight = case.weights[f"{module}.weight"]
    given: Specification = {"w_o": weight.T if case.facts["model_type"] == "gpt2" else weight}
    if f"{module}.bias" in case.weights:
        given["b_o"] = case.weights[f"{module}.bias"]
    return given


FAMILIES: dict[str, Callable[[Vector], Specification]] = {
    "bart": separate("q_proj", "k_proj", "v_proj"),
    "bert": separate("query", "key", "value"),
    "gemma2": separate("q_proj", "k_proj", "v_proj"),
    "gpt2": fused_conv1d,
    "gpt_neox": fused_per_head,
    "llama": separate("q_proj", "k_proj", "v_proj"),
    "mistral": separate("q_proj", "k_proj", "v_proj"),
    "t5": separate("q", "k", "v"),
}
