"""The stages in order: name, formula, axes, shape and, where they are computed, range of each."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attention import stages
from attention.rectangle import Rectangle
from attention.task import Task

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
    """One stage; ``minimum`` and ``maximum`` are over its finite numbers.

    They are None where there are none, and where the stage is only described.
    """

    name: str
    formula: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    minimum: float | None
    maximum: float | None


def describe(result: Result) -> list[Step]:
    """A `Step` for every stage that this run went through."""
    formulas = _formulas(result.task)
    steps = []
    for name, axes in STAGES.items():
        tensor = getattr(result, name)
        if tensor is not None:
            low, high = finite_range(tensor)
            steps.append(Step(name, formulas[name], axes, tuple(tensor.shape), low, high))
    return steps


def outline(task: Task) -> list[Step]:
    """The steps that a run of ``task`` would go through; nothing of its N × N is computed."""
    formulas, shapes = _formulas(task), _shapes(task)
    return [
        Step(name, formulas[name], axes, shapes[name], None, None)
        for name, axes in STAGES.items()
        if name != "dropped_weights" or task.spec.dropout is not None
    ]


def _shapes(task: Task) -> dict[str, tuple[int, ...]]:
    """The shape of every stage; the masks differ between heads or not, as one cell tells."""
    dims = task.dims
    B, H, K, T, S = dims.B, dims.H, dims.K, dims.T, dims.S
    cells = B, H, T, S
    merged = dims.H * dims.Dv
    if task.weights is not None and task.weights.w_o is not None:
        merged = task.weights.w_o.shape[0]
    one = stages.allowed(task, Rectangle.full(1, 1))
    return {
        "q": (B, H, T, dims.D), "k": (B, K, S, dims.D), "v": (B, K, S, dims.Dv),
        "scores": cells, "allowed": (B, one.shape[1], T, S), "masked_scores": cells,
        "logsumexp": (B, H, T), "weights": cells, "dropped_weights": cells,
        "heads": (B, H, T, dims.Dv), "output": (B, T, merged),
    }  # fmt: skip


def finite_range(tensor: Tensor) -> tuple[float | None, float | None]:
    """Smallest and largest finite number of a tensor."""
    if tensor.dtype == torch.bool:
        return float(tensor.all()), float(tensor.any())
    low, high = (end.item() for end in tensor.aminmax())
    if isfinite(low) and isfinite(high):  # a NaN would be both
        return low, high
    finite = torch.isfinite(tensor)
    if not finite.any():
        return None, None
    return (
        tensor.where(finite, torch.inf).min().item(),
        tensor.where(finite, -torch.inf).max().item(),
    )


def _formulas(task: Task) -> dict[str, str]:
    return {
        "q": _source(task, "q"),
        "k": _source(task, "k"),
        "v": _source(task, "v"),
        "scores": _scores(task),
        "allowed": " and ".join(m.description for m in task.masks) or "no mask",
        "masked_scores": _masked(task),
        "logsumexp": "log(sum over keys of exp(masked_scores)"
        + (" + exp(sink))" if task.sinks is not None else ")"),
        "weights": _weights(task),
        "dropped_weights": "weights * kept / (1 - p)",
        "heads": "dropped_weights v" if task.spec.dropout is not None else "weights v",
        "output": _output(task),
    }


def _source(task: Task, name: str) -> str:
    spec, weights = task.spec, task.weights
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


def _scores(task: Task) -> str:
    spec, dims = task.spec, task.dims
    scale = f" / sqrt({dims.D})" if spec.scale is None else f" * {spec.scale:g}"
    formula = "q k^T" + ("" if spec.scale == 1 else scale)
    if spec.softcap is not None:
        formula = f"{spec.softcap:g} tanh({formula} / {spec.softcap:g})"
    return formula + " + bias" * len(spec.biases)


def _masked(task: Task) -> str:
    spec = task.spec
    added = " + mask" if any(m.added is not None for m in task.masks) else ""
    if spec.mask_order == "after_softmax" or not spec.masks:
        return f"scores{added}"
    return f"scores{added} where allowed, else {task.fill:g}"


def _weights(task: Task) -> str:
    after = task.spec.mask_order == "after_softmax"
    return "softmax over keys(masked_scores)" + (" * allowed" if after else "")


def _output(task: Task) -> str:
    weights = task.weights
    if weights is None or weights.w_o is None:
        return "concat(heads)"
    return "concat(heads) W_o" + (" + b_o" if weights.b_o is not None else "")
