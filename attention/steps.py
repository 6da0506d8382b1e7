"""The stages in order: name, formula, axes, shape and range of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attention.arrays import all_finite

if TYPE_CHECKING:
    from attention.result import Result

QUERY_HEADS = ("batch", "query head", "query", "dim")
KV_HEADS = ("batch", "kv head", "key", "dim")
CELLS = ("batch", "query head", "query", "key")
STAGES: dict[str, tuple[str, ...]] = {
    "q": QUERY_HEADS,
    "k": KV_HEADS,
    "v": ("batch", "kv head", "key", "value dim"),
    "scores": CELLS,
    "allowed": CELLS,
    "masked_scores": CELLS,
    "logsumexp": ("batch", "query head", "query"),
    "weights": CELLS,
    "dropped_weights": CELLS,
    "heads": ("batch", "query head", "query", "value dim"),
    "output": ("batch", "query", "model dim"),
}
"""Axes of every stage, in the order of the computation."""
HEADS = ("batch", "query head")
AXES = {
    **STAGES,
    "dot_products": CELLS,
    "blocked_by": CELLS,
    "entropy": HEADS,
    "mean_distance": HEADS,
    "first_key_weight": HEADS,
    "largest_weight": HEADS,
    "average_weights": ("batch", "query", "key"),
}
"""Axes of every tensor that can be asked for."""


@dataclass(frozen=True)
class Step:
    """One stage; ``minimum`` and ``maximum`` are over its finite numbers, None without any."""

    name: str
    formula: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    minimum: float | None
    maximum: float | None


def describe(result: Result) -> list[Step]:
    """A `Step` for every stage that this run went through."""
    formulas = _formulas(result)
    steps = []
    for name, axes in STAGES.items():
        tensor = getattr(result, name)
        if tensor is not None:
            low, high = finite_range(tensor)
            steps.append(Step(name, formulas[name], axes, tuple(tensor.shape), low, high))
    return steps


def finite_range(tensor: Tensor) -> tuple[float | None, float | None]:
    """Smallest and largest finite number of a tensor."""
    if tensor.dtype == torch.bool:
        return float(tensor.all()), float(tensor.any())
    if all_finite(tensor):
        low, high = tensor.aminmax()
        return low.item(), high.item()
    finite = torch.isfinite(tensor)
    if not finite.any():
        return None, None
    return (
        tensor.where(finite, torch.inf).min().item(),
        tensor.where(finite, -torch.inf).max().item(),
    )


def _formulas(result: Result) -> dict[str, str]:
    return {
        "q": _source(result, "q"),
        "k": _source(result, "k"),
        "v": _source(result, "v"),
        "scores": _scores(result),
        "allowed": " and ".join(m.description for m in result.task.masks) or "no mask",
        "masked_scores": _masked(result),
        "logsumexp": "log(sum over keys of exp(masked_scores)"
        + (" + exp(sink))" if result.task.sinks is not None else ")"),
        "weights": _weights(result),
        "dropped_weights": "weights * kept / (1 - p)",
        "heads": "dropped_weights v" if result.dropped_weights is not None else "weights v",
        "output": _output(result),
    }


def _source(result: Result, name: str) -> str:
    spec, weights = result.task.spec, result.task.weights
    if weights is None:
        formula = name
    else:
        source = "memory" if name != "q" and spec.memory is not None else "X"
        bias = f" + b_{name}" if getattr(weights, f"b_{name}") is not None else ""
        formula = f"{source} W_{name}{bias}"
    if name != "v" and spec.qk_norm is not None:
        formula = f"RMSNorm({formula})"
    if name != "v" and spec.rope is not None:
        formula = f"RoPE({formula})"
    cached = name != "q" and spec.past_k is not None
    return f"concat(past_{name}, {formula})" if cached else formula


def _scores(result: Result) -> str:
    spec, dims = result.task.spec, result.layout
    scale = f" / sqrt({dims.D})" if spec.scale is None else f" * {spec.scale:g}"
    formula = "q k^T" + ("" if spec.scale == 1 else scale)
    if spec.softcap is not None:
        formula = f"{spec.softcap:g} tanh({formula} / {spec.softcap:g})"
    return formula + " + bias" * len(spec.biases)


def _masked(result: Result) -> str:
    spec = result.task.spec
    added = " + mask" if any(m.added is not None for m in result.task.masks) else ""
    if spec.mask_order == "after_softmax" or not spec.masks:
        return f"scores{added}"
    return f"scores{added} where allowed, else {result.task.fill:g}"


def _weights(result: Result) -> str:
    after = result.task.spec.mask_order == "after_softmax"
    return "softmax over keys(masked_scores)" + (" * allowed" if after else "")


def _output(result: Result) -> str:
    weights = result.task.weights
    if weights is None or weights.w_o is None:
        return "concat(heads)"
    return "concat(heads) W_o" + (" + b_o" if weights.b_o is not None else "")
