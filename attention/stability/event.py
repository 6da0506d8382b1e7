"""Where a run's arithmetic leaves the numbers: too large, too small, or none at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.arrays import all_finite
from attention.comparison import place
from attention.result import Result

HALVES = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Event:
    """``count`` cells of a stage, the first of them, and what float64 has there.

    ``overflow``: infinite where float64 is finite; ``not_a_number``: NaN where it is not;
    ``vanished``: 0 where it is more.
    """

    stage: str
    kind: str
    count: int
    first: tuple[int, ...]
    exact: float


def events(found: Result, exact: Result) -> list[Event]:
    """What happens in ``found``, stage by stage, beside the same run in float64."""
    names = ["q", "k", "v", "scores", "masked_scores", "weights", "heads", "output"]
    if found.task.reader.dtype in HALVES:  # wider types scale within the product
        names.insert(3, "dot_products")
    return [
        event
        for name in names
        for event in stage_events(name, getattr(found, name), getattr(exact, name))
    ]


def stage_events(name: str, found: Tensor, exact: Tensor) -> Iterator[Event]:
    """What happens in one stage; ``exact`` is the same in float64."""
    if not all_finite(found):
        yield from counted(name, "overflow", found.isinf() & exact.isfinite(), exact)
        yield from counted(name, "not_a_number", found.isnan() & ~exact.isnan(), exact)
    if name == "weights":  # elsewhere 0 for a small number is nothing to speak of
        yield from counted(name, "vanished", (found == 0) & (exact > 0), exact)


def counted(name: str, kind: str, cells: Tensor, exact: Tensor) -> Iterator[Event]:
    """An event where there are such cells."""
    count = int(cells.sum())
    if count:
        first = int(cells.flatten().int().argmax())
        yield Event(name, kind, count, place(first, cells.shape), exact.flatten()[first].item())
