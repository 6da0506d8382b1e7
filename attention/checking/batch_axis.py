"""Batch and tokens taken for each other: the one mistake that changes the lengths of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import Tensor

from attention.arrays import as_tensor
from attention.checking.expected import Expected
from attention.comparison import difference
from attention.errors import AttentionError
from attention.forward import run
from attention.result import Result
from attention.specification import Specification

NAME = "batch_axis_swapped"
EXPLANATION = (
    "The batch axis is taken for the tokens: each token attends to those at its place in the"
    " other sequences. nn.MultiheadAttention and nn.Transformer read [T][B][E] unless they are"
    " made with batch_first=True."
)


def remains(spec: Specification, given: Mapping[str, Expected]) -> float | None:
    """The largest difference that is left; None where a given number is out of tolerance."""
    if spec.memory is not None or spec.past_k is not None:
        return None
    try:
        result = run(_swapped(spec))
    except AttentionError:
        return None
    left = [_difference(result, expected) for expected in given.values()]
    return None if None in left else max(part for part in left if part is not None)


def _swapped(spec: Specification) -> Specification:
    if spec.x is not None:
        x = as_tensor(spec.x, ("x",))
        x = x if x.ndim == 3 else x[None]
        return replace(spec, x=x.transpose(0, 1), tokens=None, memory_tokens=None)
    heads: dict[str, Any] = {n: getattr(spec, n).transpose(0, 2) for n in ("q", "k", "v")}
    return replace(spec, **heads, tokens=None, memory_tokens=None)


def _difference(result: Result, expected: Expected) -> float | None:
    """Tensors of tokens are given as [B][T] or as they were computed."""
    found: Tensor = getattr(result, expected.name)
    turned = {"output": (0, 1), "heads": (0, 2), "q": (0, 2), "k": (0, 2), "v": (0, 2)}
    forms = [found]
    if expected.name in turned:
        forms.append(found.transpose(*turned[expected.name]))
    for form in forms:
        if expected.reproduced(form):
            return difference(form, expected.values).max_abs
    return None
