"""Exact max and mean of the cells of a picture, gathered strip by strip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Cells:
    """The range [start, stop) cut into cells of ``width``, the last one maybe shorter."""

    start: int
    stop: int
    width: int

    @classmethod
    def of(cls, start: int, stop: int, most: int) -> Cells:
        """At most ``most`` cells, of width 1 where they suffice."""
        return cls(start, stop, -(-(stop - start) // most))

    @property
    def count(self) -> int:
        """How many cells."""
        return -(-(self.stop - self.start) // self.width)

    @property
    def edges(self) -> list[int]:
        """The cells' borders, first ``start`` and last ``stop``."""
        return [*range(self.start, self.stop, self.width), self.stop]

    @property
    def sizes(self) -> Tensor:
        """How many places each cell holds, float64."""
        return torch.tensor(self.edges, dtype=torch.float64).diff()

    def strips(self, most: int) -> Iterator[tuple[int, int]]:
        """Ranges of at most ``most`` places that hold whole cells or lie within one."""
        if most >= self.width:
            step = most // self.width * self.width
            starts = range(self.start, self.stop, step)
            yield from ((start, min(start + step, self.stop)) for start in starts)
            return
        for left, right in zip(self.edges, self.edges[1:], strict=False):
            yield from ((at, min(at + most, right)) for at in range(left, right, most))


class Pool:
    """Gathers strips of one window into ``z`` and the masked share, both [R][C] float64.

    ``how`` is max or mean. With ``visible_only`` masked pairs count for nothing, and a cell
    without a visible pair is −Infinity.
    """

    def __init__(self, rows: Cells, cols: Cells, how: str, visible_only: bool) -> None:
        self._rows, self._cols = rows, cols
        self._how, self._visible_only = how, visible_only
        shape = (rows.count, cols.count)
        first = float("-inf") if how == "max" else 0.0
        self._found = torch.full(shape, first, dtype=torch.float64)
        self._visible = torch.zeros(shape, dtype=torch.float64)
        self._unmasked = torch.zeros(rows.count, dtype=torch.bool)

    def add(self, start: int, values: Tensor, visible: Tensor | None) -> None:
        """Take in rows from ``start``: values [r, c] and, if some are masked, visible [r, c]."""
        if self._visible_only and visible is not None:
            values = values.where(visible, float("-inf") if self._how == "max" else 0)
        first = (start - self._rows.start) // self._rows.width
        here = slice(first, first + -(-len(values) // self._rows.width))
        if visible is not None:
            self._visible[here] += self._folded(visible.float(), "sum")
        else:
            self._unmasked[here] = True
        if self._how == "max":
            self._found[here] = torch.maximum(self._found[here], self._folded(values, "max"))
        else:
            self._found[here] += self._folded(values, "sum")

    def result(self) -> tuple[Tensor, Tensor]:
        """z and the share of masked pairs."""
        pairs = self._rows.sizes[:, None] * self._cols.sizes[None, :]
        visible = pairs.where(self._unmasked[:, None], self._visible)
        masked = 1 - visible / pairs
        if self._how == "max":
            return self._found, masked
        z = self._found / (visible if self._visible_only else pairs)
        if self._visible_only:
            z = z.where(visible > 0, float("-inf"))
        return z, masked

    def _folded(self, values: Tensor, how: str) -> Tensor:
        wide = torch.promote_types(values.dtype, torch.float32)
        across = fold(values.to(wide), self._cols.width, how)
        return fold(across.double().T, self._rows.width, how).T


def fold(values: Tensor, width: int, how: str) -> Tensor:
    """Sum or max of each run of ``width`` along the last axis, the last run maybe shorter."""
    if width == 1:
        return values
    whole = values.shape[-1] // width * width
    runs = values[..., :whole].unflatten(-1, (-1, width)) if whole else None  # type: ignore[no-untyped-call]
    rest = values[..., whole:]
    parts = [_reduced(part, how) for part in (runs,) if part is not None]
    if rest.shape[-1]:
        parts.append(_reduced(rest[..., None, :], how))
    return torch.cat(parts, -1)


def _reduced(values: Tensor, how: str) -> Tensor:
    return values.amax(-1) if how == "max" else values.sum(-1)
