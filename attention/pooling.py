"""Exact max and mean of the cells of a picture, gathered strip by strip."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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

    def first_of(self, part: slice) -> int:
        """The cell in which a part of the range begins."""
        return int(part.start - self.start) // self.width

    def overlap(self, part: slice) -> tuple[slice, Tensor]:
        """The cells that a part of the range touches, and how many places of each, float64."""
        first, last = self.first_of(part), (part.stop - 1 - self.start) // self.width + 1
        edges = torch.arange(first, last + 1, dtype=torch.float64) * self.width + self.start
        return slice(first, last), edges.clamp_(part.start, part.stop).diff()

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
    """Gathers pieces of one window into ``z`` and the masked share, both [R][C].

    ``how`` is max or mean. With ``visible_only`` the mean is over visible pairs and a cell
    without any is −Infinity; the pieces then hold −Infinity (max) or 0 (mean) at masked pairs.
    What no piece covers counts as masked, and as ``missing`` for a max, as 0 for a mean.
    A max needs no more digits than the pieces' ``dtype``, sums have float64.
    """

    def __init__(
        self,
        rows: Cells,
        cols: Cells,
        how: str,
        visible_only: bool,
        missing: float,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        self.rows, self.cols = rows, cols
        self.how = "max" if how == "max" else "sum"
        self._visible_only = visible_only
        shape = (rows.count, cols.count)
        first = missing if how == "max" else 0.0
        self._found = torch.full(shape, first, dtype=dtype if how == "max" else torch.float64)
        self._visible = torch.zeros(shape, dtype=torch.float64)

    def add(self, rows: slice, cols: slice, values: Tensor) -> None:
        """Take in a piece [r, c] that holds whole cells, or lies within one, on either axis.

        Rows are folded first: whole rows lie together in memory, which is the fast direction.
        """
        down = fold_rows(_wide(values), self.rows.width, self.how)
        self._take(rows, cols, fold_cols(down, self.cols.width, self.how))

    def add_across(self, rows: slice, cols: slice, values: Tensor) -> None:
        """Take in a piece whose columns are folded: [r, cells]."""
        self._take(rows, cols, fold_rows(values, self.rows.width, self.how))

    def across(self, values: Tensor) -> Tensor:
        """The columns of a piece folded: [r, c] → [r, cells]."""
        folded = fold_cols(_wide(values), self.cols.width, self.how)
        return folded.clone() if folded.data_ptr() == values.data_ptr() else folded

    def see(self, rows: slice, cols: slice, visible: Tensor | None = None) -> None:
        """Count the visible pairs of a piece [r, c], of a cell or of any part; None for all."""
        if visible is None:
            (down, height), (across, width) = self.rows.overlap(rows), self.cols.overlap(cols)
            self._visible[down, across] += height[:, None] * width
            return
        first = self.cols.first_of(cols)
        lead = cols.start - self.cols.start - first * self.cols.width
        counted = fold_rows(visible.float(), self.rows.width, "sum")
        counted = torch.nn.functional.pad(counted, (lead, 0))
        counted = fold_cols(counted, self.cols.width, "sum")
        top = self.rows.first_of(rows)
        self._visible[top : top + len(counted), first : first + counted.shape[1]] += counted

    def result(self, rows: slice) -> tuple[Tensor, Tensor]:
        """z and the share of masked pairs, of some rows of cells."""
        found, visible = self._found[rows], self._visible[rows]
        heights, widths = self.rows.sizes[rows, None], self.cols.sizes[None, :]
        masked = (visible / heights).div_(widths).neg_().add_(1)
        if self.how == "max":
            return found, masked  # wholly masked cells have kept what was asked
        z = found / (visible if self._visible_only else heights * widths)
        if self._visible_only:
            z = z.where(visible > 0, float("-inf"))
        return z, masked

    def _take(self, rows: slice, cols: slice, cells: Tensor) -> None:
        top, left = self.rows.first_of(rows), self.cols.first_of(cols)
        here = self._found[top : top + len(cells), left : left + cells.shape[1]]
        if self.how == "max":
            torch.maximum(here, cells.to(here.dtype), out=here)
        else:
            here += cells


def _wide(values: Tensor) -> Tensor:
    return values.to(widened(values.dtype))


def fold_rows(values: Tensor, width: int, how: str) -> Tensor:
    """Sum or max of each run of ``width`` rows, the last run maybe shorter."""
    return _fold(values, width, how, 0)


def fold_cols(values: Tensor, width: int, how: str) -> Tensor:
    """Sum or max of each run of ``width`` columns, the last run maybe shorter."""
    return _fold(values, width, how, 1)


def _fold(values: Tensor, width: int, how: str, axis: int) -> Tensor:
    if width == 1:
        return values
    whole = values.shape[axis] // width * width
    parts = []
    if whole:
        shape = (-1, width, values.shape[1]) if axis == 0 else (len(values), -1, width)
        runs = values.narrow(axis, 0, whole).reshape(shape)
        parts.append(runs.amax(axis + 1) if how == "max" else runs.sum(axis + 1))
    if whole < values.shape[axis]:
        rest = values.narrow(axis, whole, values.shape[axis] - whole)
        parts.append(
            rest.amax(axis, keepdim=True) if how == "max" else rest.sum(axis, keepdim=True)
        )
    return parts[0] if len(parts) == 1 else torch.cat(parts, axis)
