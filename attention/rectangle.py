"""Some queries × some keys, of all heads or of one: what every stage works on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rectangle:
    """Queries ``rows`` [R] against keys ``cols`` [C], both half-open ranges from 0.

    ``batch`` and ``head`` pick one item; None is all of them. Stages answer [b, h, R, C],
    where b and h are 1 for a picked item.
    """

    rows: slice
    cols: slice
    batch: int | None = None
    head: int | None = None

    @classmethod
    def full(cls, T: int, S: int) -> Rectangle:
        """Every query against every key, all heads."""
        return cls(slice(0, T), slice(0, S))

    @property
    def shape(self) -> tuple[int, int]:
        """R and C."""
        return self.rows.stop - self.rows.start, self.cols.stop - self.cols.start

    @cached_property
    def query(self) -> Tensor:
        """Query indices, [R, 1]."""
        return torch.arange(self.rows.start, self.rows.stop)[:, None]

    @cached_property
    def key(self) -> Tensor:
        """Key indices, [1, C]."""
        return torch.arange(self.cols.start, self.cols.stop)[None, :]

    def of(self, values: Tensor) -> Tensor:
        """The picked batch item and head of ``values`` [B or 1, H or 1, ...], without a copy."""
        return values[self.items(values.shape[0]), _picked(self.head, values.shape[1])]

    def items(self, count: int) -> slice:
        """The picked batch item among ``count``, as a slice."""
        return _picked(self.batch, count)

    def heads(self, count: int) -> slice:
        """The picked head among ``count``, as a slice."""
        return _picked(self.head, count)

    def take(self, values: Tensor) -> Tensor:
        """Cut ``values`` [B or 1, H or 1, T or 1, S or 1] down to this rectangle, no copy."""
        rows = self.rows if values.shape[-2] > 1 else slice(None)
        cols = self.cols if values.shape[-1] > 1 else slice(None)
        return self.of(values)[..., rows, cols]


def _picked(index: int | None, count: int) -> slice:
    return slice(None) if index is None or count == 1 else slice(index, index + 1)
