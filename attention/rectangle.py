"""Some queries × some keys: what every stage works on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True)
class Rectangle:
    """Queries ``rows`` [R] against keys ``cols`` [C], both half-open ranges from 0."""

    rows: slice
    cols: slice

    @classmethod
    def full(cls, T: int, S: int) -> Rectangle:
        """Every query against every key."""
        return cls(slice(0, T), slice(0, S))

    @cached_property
    def query(self) -> Tensor:
        """Query indices, [R, 1]."""
        return torch.arange(self.rows.start, self.rows.stop)[:, None]

    @cached_property
    def key(self) -> Tensor:
        """Key indices, [1, C]."""
        return torch.arange(self.cols.start, self.cols.stop)[None, :]

    def take(self, values: Tensor) -> Tensor:
        """Cut ``values`` [.., T or 1, S or 1] down to this rectangle, without a copy."""
        rows = self.rows if values.shape[-2] > 1 else slice(None)
        cols = self.cols if values.shape[-1] > 1 else slice(None)
        return values[..., rows, cols]
