"""A mask given cell by cell, in one of the three conventions that are in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from attention.arrays import as_boolean, as_tensor, say
from attention.dimensions import Dimensions
from attention.errors import Path, ShapeError, SpecificationError, dotted, shape_text
from attention.masks.predicate import Predicate
from attention.notices import Notice
from attention.reader import Reader


@dataclass(frozen=True)
class Matrix:
    """``values`` broadcast to [B][H][T][S] by trailing axes.

    ``allowed``: true may be read (scaled_dot_product_attention, ONNX). ``blocked``: true may
    not be read (nn.MultiheadAttention). ``additive``: added to the scores, −Infinity blocks.
    """

    kind: ClassVar[str] = "matrix"
    values: Any
    convention: str

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Predicate:
        """See `Mask.bind`."""
        place = (*loc, "values")
        if self.convention == "additive":
            return self._additive(dims, reader, place)
        if self.convention not in ("allowed", "blocked"):
            raise SpecificationError(
                "the convention of a matrix is always stated",
                loc=(*loc, "convention"),
                expected="allowed, blocked or additive",
                got=say(self.convention),
            )
        values = broadcastable(as_boolean(self.values, place), dims, place)
        visible = values if self.convention == "allowed" else ~values
        return Predicate(f"matrix ({self.convention})", lambda where: where.take(visible))

    def _additive(self, dims: Dimensions, reader: Reader, place: Path) -> Predicate:
        stored = as_tensor(self.values, place)
        if stored.dtype == torch.bool:
            raise SpecificationError(
                "additive masks hold numbers",
                loc=place,
                expected="0 and -Infinity, or other numbers to add",
                got="true/false",
            )
        if stored.numel() and ((stored == 0) | (stored == 1)).all() and (stored == 1).any():
            reader.notices.append(
                Notice(
                    "additive_mask_of_zeros_and_ones",
                    "an additive mask of zeros and ones blocks nothing: it adds 1 where a boolean"
                    " mask would say true; state allowed or blocked if that was meant",
                    concerns=dotted(place),
                )
            )
        values = broadcastable(reader.read_mask(stored, place), dims, place)
        blocked = values == float("-inf")
        added = torch.where(blocked, torch.zeros_like(values), values)
        return Predicate(
            "matrix (additive)",
            lambda where: where.take(~blocked),
            lambda where: where.take(added),
        )


def broadcastable(values: Tensor, dims: Dimensions, loc: Path) -> Tensor:
    """``values`` with four axes that broadcast to [B][H][T][S], or a `ShapeError`."""
    full = (dims.B, dims.H, dims.T, dims.S)
    shape = (1,) * (4 - values.ndim) + tuple(values.shape)
    if values.ndim > 4 or any(n not in (1, whole) for n, whole in zip(shape, full, strict=True)):
        hint = ""
        if values.ndim == 3 and values.shape[0] == dims.B:
            hint = "; one matrix per batch item is written [B][1][T][S]"
        raise ShapeError(
            "values broadcast to [B][H][T][S] by trailing axes",
            loc=loc,
            expected=f"{shape_text(full)}, 1 where it is shared",
            got=shape_text(values.shape) + hint,
        )
    return values.reshape(shape)
