"""The padding mask: filled-up keys are not real tokens and stay unseen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from attention.arrays import as_boolean, as_integers, expect_shape
from attention.dimensions import Dimensions, same_batch
from attention.errors import Path, ShapeError, SpecificationError
from attention.masks.predicate import Predicate
from attention.masks.reach import Reach
from attention.reader import Reader


@dataclass(frozen=True)
class Padding:
    """Visible when the key is a real token: ``lengths`` [B], or ``keep`` [B][S] with 1 = real.

    One sequence alone may give ``keep`` as [S]. S counts cached keys too.
    """

    kind: ClassVar[str] = "padding"
    lengths: Any = None
    keep: Any = None

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Predicate:
        """See `Mask.bind`."""
        if (self.lengths is None) == (self.keep is None):
            raise SpecificationError(
                "padding is said in one way",
                loc=loc,
                expected="lengths or keep",
                got="both" if self.keep is not None else "neither",
            )
        keep = self._keep(dims, loc)[:, None, None, :]
        real = keep.sum(-1).flatten().tolist()

        def reach(rows: slice, batch: int) -> Reach:
            tokens = keep[batch, 0, 0].nonzero().flatten()
            if not len(tokens):
                return Reach(0, 0, 0, 0)
            first, last = int(tokens[0]), int(tokens[-1]) + 1
            whole = len(tokens) == last - first
            return Reach(first, last, first, last if whole else first)

        return Predicate(
            f"padding: real keys per sequence {real} of {dims.S}",
            lambda where: where.take(keep),
            reach=reach,
            real=keep[:, 0, 0],
        )

    def _keep(self, dims: Dimensions, loc: Path) -> torch.Tensor:
        if self.lengths is None:
            place = (*loc, "keep")
            keep = as_boolean(self.keep, place)
            if keep.ndim == 1 and dims.B == 1:
                keep = keep[None]
            expect_shape(keep, (dims.B, dims.S), "[B][S]", place)
            return keep
        place = (*loc, "lengths")
        lengths = as_integers(self.lengths, place)
        if lengths.ndim != 1:
            raise ShapeError(
                "lengths is a list [B]", loc=place, expected="1 axis", got=f"{lengths.ndim} axes"
            )
        same_batch(len(lengths), dims, place, "lengths")
        wrong = (lengths < 0) | (lengths > dims.S)
        if wrong.any():
            first = int(wrong.nonzero()[0])
            raise SpecificationError(
                "a length counts the keys of its sequence",
                loc=(*place, first),
                expected=f"0 to {dims.S}",
                got=int(lengths[first]),
            )
        return torch.arange(dims.S)[None, :] < lengths[:, None]
