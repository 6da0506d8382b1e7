"""Two runs side by side: how far each stage is apart, and where it first differs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attention.arrays import widened
from attention.errors import shape_text
from attention.result import Result
from attention.steps import STAGES


@dataclass(frozen=True)
class Difference:
    """a − b of one stage; ``at`` is the largest, ``first`` the first cell that differs."""

    max_abs: float
    mean_abs: float
    at: tuple[int, ...]
    first: tuple[int, ...] | None
    difference: Tensor


@dataclass(frozen=True)
class Comparison:
    """Stages that could be compared, and why the others could not."""

    stages: dict[str, Difference]
    incomparable: dict[str, str]


def compare(a: Result, b: Result) -> Comparison:
    """a − b for every stage of the two runs that has one shape in both."""
    stages: dict[str, Difference] = {}
    incomparable: dict[str, str] = {}
    for name in STAGES:
        ours, theirs = _stage(a, name), _stage(b, name)
        if ours is None and theirs is None:
            continue
        if ours is None or theirs is None:
            incomparable[name] = f"only {'b' if ours is None else 'a'} has this stage"
        elif ours.shape != theirs.shape:
            incomparable[name] = (
                f"shapes differ: a has {shape_text(ours.shape)}, b {shape_text(theirs.shape)}"
            )
        else:
            stages[name] = difference(ours, theirs)
    return Comparison(stages, incomparable)


def difference(a: Tensor, b: Tensor) -> Difference:
    """a − b at float32 or wider; equal infinities, and NaN in both, differ by 0."""
    wide = widened(torch.promote_types(a.dtype, b.dtype))
    a, b = a.to(wide), b.to(wide)
    same = (a == b) | (a.isnan() & b.isnan())
    apart = (a - b).masked_fill(same, 0)
    size = apart.abs()
    # NaN sorts above every number: a cell that is NaN in one run only is the worst.
    worst = int(size.flatten().argmax())
    first = (~same).flatten().nonzero()
    return Difference(
        size.flatten()[worst].item(),
        size.mean(dtype=torch.float64).item(),
        place(worst, a.shape),
        place(int(first[0]), a.shape) if len(first) else None,
        apart,
    )


def place(index: int, shape: torch.Size) -> tuple[int, ...]:
    """Row-major position of a flat index."""
    return tuple(int(i) for i in np.unravel_index(index, shape))


def _stage(result: Result, name: str) -> Tensor | None:
    tensor: Tensor | None = getattr(result, name)
    if name == "allowed" and tensor is not None:
        dims = result.layout
        return tensor.expand(dims.B, dims.H, dims.T, dims.S)
    return tensor
