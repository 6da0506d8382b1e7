"""One trial: a run that differs from the set one in how it counts, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from attention.comparison import Comparison, place
from attention.result import Result
from attention.stability.event import Event


@dataclass(frozen=True)
class Hidden:
    """The largest weight on a masked key in rows that see one, and where: [B, H, T, S]."""

    largest: float
    at: tuple[int, ...]


@dataclass(frozen=True)
class Finite:
    """The largest and the mean difference of the weights where both are finite."""

    max_abs: float
    mean_abs: float


@dataclass(frozen=True)
class Trial:
    """``comparison`` is the trial less the run in float64; ``fields`` say it in a specification.

    ``kind``: ``precision`` the same run in ``dtype``; ``softmax`` without subtracting the
    maximum; ``set`` and ``added`` with a finite ``fill`` in place of −Infinity. ``fields`` is
    None where no specification says it. ``hidden`` and ``empty_rows`` (zero, nan, uniform, or
    own: some other weights) are those of fills; None where there is no such row.
    """

    name: str
    kind: str
    dtype: str
    fill: float | None
    result: Result
    comparison: Comparison
    events: list[Event]
    fields: dict[str, Any] | None
    hidden: Hidden | None = None
    empty_rows: str | None = None

    @cached_property
    def finite(self) -> Finite | None:
        """What NaN in some rows does not hide; None where no weight is finite."""
        apart = self.comparison.stages["weights"].difference
        apart = apart[apart.isfinite() & self.result.weights.isfinite()].abs()
        if not apart.numel():
            return None
        return Finite(apart.max().item(), apart.mean(dtype=torch.float64).item())


def hidden_weight(result: Result, blocked: Tensor) -> Hidden | None:
    """The largest number where ``blocked`` [B, H, T, S], of rows that see a key."""
    weights = result.weights.double()
    cells = blocked & ~blocked.all(-1, keepdim=True) & ~weights.isnan()
    if not cells.any():
        return None
    weights = weights.masked_fill(~cells, -1)
    worst = int(weights.flatten().argmax())
    return Hidden(weights.flatten()[worst].item(), place(worst, weights.shape))


def empty_weights(result: Result, blocked: Tensor) -> str | None:
    """What rows that see no key got: zero, nan, uniform or own; None where there is none."""
    rows = result.weights[blocked.all(-1)].double()  # [N S]
    if not len(rows):
        return None
    if rows.isnan().all():
        return "nan"
    if not rows.any():
        return "zero"
    step = torch.finfo(result.weights.dtype).eps
    even = torch.full_like(rows, 1 / rows.shape[-1])
    return "uniform" if torch.allclose(rows, even, rtol=step, atol=0) else "own"
