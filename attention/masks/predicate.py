"""A mask made ready for one run: which keys each query may see, on any rectangle."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor

from attention.arrays import as_integers, say
from attention.dimensions import Dimensions, same_batch
from attention.errors import Path, ShapeError, SpecificationError
from attention.masks.reach import Reach
from attention.reader import Reader
from attention.rectangle import Rectangle


@dataclass(frozen=True)
class Predicate:
    """``visible(where)`` is True where a key may be seen, broadcastable to [B, H, R, C].

    ``added(where)``, if any, are finite numbers that the mask adds to the scores.
    ``reach(rows, batch)``, if any, says which keys a run of queries can see without asking.
    ``real`` [B, S], if any, is True where a key is a real token and not filling.
    """

    description: str
    visible: Callable[[Rectangle], Tensor]
    added: Callable[[Rectangle], Tensor] | None = None
    reach: Callable[[slice, int], Reach] | None = None
    real: Tensor | None = None


class Mask(Protocol):
    """What every mask kind offers."""

    kind: ClassVar[str]

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Predicate:
        """Check the mask against the run's lengths and return its predicate."""
        ...


def per_batch(value: Any, dims: Dimensions, loc: Path) -> Tensor:
    """A whole number, or one per batch item, as [1 or B, 1, 1, 1]."""
    numbers = as_integers(value, loc)
    if numbers.ndim > 1:
        raise ShapeError(
            f"{loc[-1]} is one number or one per batch item",
            loc=loc,
            expected="0 or 1 axes",
            got=numbers.ndim,
        )
    if numbers.ndim == 1:
        same_batch(len(numbers), dims, loc, str(loc[-1]))
    return numbers.reshape(-1, 1, 1, 1)


def offset_of(alignment: Any, offset: Any, dims: Dimensions, loc: Path) -> Tensor:
    """How far query 0 is shifted along the keys, [1 or B, 1, 1, 1].

    Default: the cache's length P (0 without a cache), as PyTorch, ONNX and JAX do.
    """
    if alignment is not None and offset is not None:
        raise SpecificationError(
            "alignment and offset say the same thing",
            loc=(*loc, "offset"),
            expected="one of the two",
            got="both",
        )
    if alignment is not None:
        choices = {"top_left": 0, "bottom_right": dims.S - dims.T}
        if alignment not in choices:
            raise SpecificationError(
                "alignment must be a known choice",
                loc=(*loc, "alignment"),
                expected="top_left or bottom_right",
                got=say(alignment),
            )
        return torch.tensor(choices[alignment]).reshape(1, 1, 1, 1)
    return per_batch(dims.P if offset is None else offset, dims, (*loc, "offset"))


def for_item(numbers: Tensor, batch: int) -> int:
    """The number of one batch item, from [1 or B, 1, 1, 1]."""
    return int(numbers[min(batch, len(numbers) - 1)])


def shifted_query(offset: Tensor) -> str:
    """``query``, or ``query + 4`` when an offset shifts it."""
    return "query" if not offset.any() else f"query + {numbers_text(offset)}"


def numbers_text(values: Tensor) -> str:
    """``4``, or ``[4, 2]`` when batch items differ."""
    flat = values.flatten().tolist()
    return str(flat[0]) if len(flat) == 1 else str(flat)
