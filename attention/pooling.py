"""Exact max and mean of the cells of a picture, gathered strip by strip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from attention.arrays import widened


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


Seen: TypeAlias = tuple[tuple[slice, Tensor | None], ...]


@dataclass(frozen=True)
class Strip:
    """Some rows of a window: ``values`` [r, c] from column ``left``, 0 elsewhere.

    ``seen`` are column ranges with what masks leave visible there [r, c], None for all of it;
    what no range names is masked. Columns count from the window's first.
    """

    values: Tensor
    left: int = 0
    seen: Seen = ()


class Pool:
    """Gathers strips of one window into ``z`` and the masked share, both [R][C] float64.

    ``how`` is max or mean. With ``visible_only`` the mean is over visible pairs and a cell
    without any is −Infinity; the strips then hold −Infinity (max) or 0 (mean) at masked pairs.
    """

    def __init__(self, rows: Cells, cols: Cells, how: str, visible_only: bool) -> None:
        self._rows, self._cols = rows, cols
        self._how, self._visible_only = how, visible_only
        shape = (rows.count, cols.count)
        first = float("-inf") if how == "max" else 0.0
        self._found = torch.full(shape, first, dtype=torch.float64)
        self._visible = torch.zeros(shape, dtype=torch.float64)

    def add(self, start: int, strip: Strip) -> None:
        """Take in rows from ``start``: whole cells, or a part of one."""
        length = len(strip.values)
        first = (start - self._rows.start) // self._rows.width
        here = slice(first, first + -(-length // self._rows.width))
        how = "max" if self._how == "max" else "sum"
        values = self._across(self._spread(self._down(strip.values, how), strip), how)
        if how == "max":
            self._found[here] = torch.maximum(self._found[here], values)
        else:
            self._found[here] += values
        self._visible[here] += self._across(self._counted(length, strip), "sum")

    def result(self) -> tuple[Tensor, Tensor]:
        """z and the share of masked pairs."""
        pairs = self._rows.sizes[:, None] * self._cols.sizes[None, :]
        masked = 1 - self._visible / pairs
        if self._how == "max":
            return self._found, masked
        z = self._found / (self._visible if self._visible_only else pairs)
        if self._visible_only:
            z = z.where(self._visible > 0, float("-inf"))
        return z, masked

    def _spread(self, rows: Tensor, strip: Strip) -> Tensor:
        """The pooled rows over all columns of the window."""
        C = self._cols.stop - self._cols.start
        if rows.shape[1] == C:
            return rows
        full = torch.zeros(len(rows), C, dtype=rows.dtype)
        full[:, strip.left : strip.left + rows.shape[1]] = rows
        return full

    def _counted(self, length: int, strip: Strip) -> Tensor:
        """Visible pairs of each pooled row and each column."""
        sizes = fold(torch.ones(1, length), self._rows.width, "sum")[0]
        count = torch.zeros(len(sizes), self._cols.stop - self._cols.start)
        for where, visible in strip.seen:
            count[:, where] += (
                sizes[:, None] if visible is None else self._down(visible.float(), "sum")
            )
        return count

    def _down(self, values: Tensor, how: str) -> Tensor:
        return fold_rows(values.to(widened(values.dtype)), self._rows.width, how)

    def _across(self, values: Tensor, how: str) -> Tensor:
        return fold(values, self._cols.width, how).double()


def fold_rows(values: Tensor, width: int, how: str) -> Tensor:
    """Sum or max of each run of ``width`` rows, the last run maybe shorter.

    Rows are folded first: whole rows lie together in memory, which is the fast direction.
    """
    if width == 1:
        return values
    whole = len(values) // width * width
    parts = []
    if whole:
        runs = values[:whole].view(-1, width, values.shape[1])
        parts.append(runs.amax(1) if how == "max" else runs.sum(1))
    if whole < len(values):
        rest = values[whole:]
        parts.append((rest.amax(0) if how == "max" else rest.sum(0))[None])
    return torch.cat(parts)


def fold(values: Tensor, width: int, how: str) -> Tensor:
    """Sum or max of each run of ``width`` columns, the last run maybe shorter."""
    return fold_rows(values.T.contiguous(), width, how).T if width > 1 else values
