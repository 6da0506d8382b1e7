"""A finite number where −Infinity hides a key: set in its place, or added to the score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attention import stages
from attention.arrays import DTYPES
from attention.checking.fields import plain
from attention.forward import run
from attention.masks import Matrix
from attention.rectangle import Rectangle
from attention.result import Result
from attention.specification import Specification
from attention.stability.plain_softmax import with_weights


@dataclass(frozen=True)
class Filled:
    """A variant, and what changes in the specification that is set."""

    name: str
    kind: str
    fill: float
    spec: Specification
    changes: dict[str, Any]


def fills(dtype: str) -> dict[str, float]:
    """By name: what people fill with, −Infinity first."""
    lowest = torch.finfo(DTYPES[dtype]).min
    return {"-inf": float("-inf"), "-1e9": -1e9, "-1e4": -1e4, "min": lowest}


def variants(reference: Result, dtype: str) -> Iterator[Filled]:
    """Every fill, set and added; none where nothing is masked before the softmax."""
    spec = reference.task.spec
    if bool(reference.allowed.all()) or spec.mask_order == "after_softmax":
        return
    for name, fill in fills(dtype).items():
        said: dict[str, Any] = {"dtype": dtype, "fill": fill}
        changed = replace(in_dtype(spec, dtype), fill=fill)
        yield Filled(f"set {name}", "set", fill, changed, said)
    for name, fill in fills(dtype).items():
        mask = Matrix(_numbers(reference, fill), "additive")
        changed = replace(in_dtype(spec, dtype), fill="-Infinity", masks=(mask,))
        said = {"dtype": dtype, "fill": "-Infinity", "masks": plain((mask,))}
        yield Filled(f"added {name}", "added", fill, changed, said)


def in_dtype(spec: Specification, dtype: str) -> Specification:
    """The same run in another dtype."""
    return replace(spec, dtype=dtype)  # type: ignore[arg-type]


def computed(spec: Specification) -> Result:
    """The run as its softmax leaves it: no policy for rows that see no key."""
    result = run(spec)
    sinks = result.task.sinks
    return with_weights(result, stages.softmax(result.masked_scores, sinks))


def _numbers(reference: Result, fill: float) -> Tensor:
    """What the masks add, and ``fill`` besides where they block: [B, 1 or H, T, S]."""
    dims = reference.layout
    where = Rectangle.full(dims.T, dims.S)
    added = torch.zeros(reference.allowed.shape, dtype=torch.float64)
    for mask in reference.task.masks:
        if mask.added is not None:
            added = added + mask.added(where)
    return torch.where(reference.allowed, added, added + fill)
