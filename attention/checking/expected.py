"""One tensor that someone gave, and where a computed one is within tolerance of it."""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from attention.arrays import all_finite, widened
from attention.checking.tolerance import Tolerance
from attention.rectangle import Rectangle
from attention.steps import AXES


class Expected:
    """The given ``values`` of the tensor ``name``, at float32 or wider."""

    def __init__(self, name: str, given: Tensor, computed: torch.dtype, tolerance: Tolerance):
        self.name = name
        self.values = given.to(widened(computed))
        self.tolerance = tolerance
        self._finite = all_finite(self.values)
        self._rows: dict[tuple[int, int], Expected] = {}

    @cached_property
    def bound(self) -> Tensor:
        """How far each cell may be off; 0 where the given number is not finite."""
        bound = self.tolerance.atol + self.tolerance.rtol * self.values.abs()
        return bound if self._finite else bound.where(self.values.isfinite(), 0)

    @property
    def query_axis(self) -> int | None:
        """The axis of the queries, if this tensor is cut by them."""
        cut = self.name not in ("q", "k", "v") and "query" in AXES[self.name]
        return AXES[self.name].index("query") - len(AXES[self.name]) if cut else None

    def on(self, where: Rectangle) -> Expected:
        """The part that belongs to some of the queries."""
        axis, key = self.query_axis, (where.rows.start, where.rows.stop)
        if axis is None or self.values.ndim < -axis or self.values.shape[axis] < key[1]:
            return self
        if key not in self._rows:
            part = self.values.narrow(axis, key[0], key[1] - key[0])
            self._rows[key] = Expected(self.name, part, part.dtype, self.tolerance)
        return self._rows[key]

    def passes(self, got: Tensor) -> Tensor:
        """True where a cell is within tolerance; equal infinities and NaN in both pass."""
        close = (got - self.values).abs() <= self.bound
        if self._finite:
            return close
        return close | (got == self.values) | (got.isnan() & self.values.isnan())

    def reproduced(self, got: Tensor) -> bool:
        """Whether every cell passes."""
        return got.shape == self.values.shape and bool(self.passes(got.to(self.values)).all())
