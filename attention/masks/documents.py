"""The document mask: packed documents do not see each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from attention.arrays import as_integers, with_axes
from attention.dimensions import Dimensions
from attention.errors import Path, ShapeError, SpecificationError, shape_text
from attention.masks.predicate import Predicate
from attention.reader import Reader


@dataclass(frozen=True)
class Documents:
    """Visible when query and key bear the same id; ``ids`` [S] or [B][S], and T = S."""

    kind: ClassVar[str] = "documents"
    ids: Any

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Predicate:
        """See `Mask.bind`."""
        place = (*loc, "ids")
        if dims.T != dims.S:
            raise SpecificationError(
                "documents need as many queries as keys",
                loc=place,
                expected=f"T = S = {dims.S}",
                got=f"T = {dims.T}",
            )
        ids = with_axes(as_integers(self.ids, place), 1, 2, "[S] or [B][S]", place)
        if ids.shape[0] not in (1, dims.B) or ids.shape[1] != dims.S:
            raise ShapeError(
                "ids has one entry per token",
                loc=place,
                expected=f"[{dims.S}] or [{dims.B}][{dims.S}]",
                got=shape_text(ids.shape),
            )
        query, key = ids[:, None, :, None], ids[:, None, None, :]
        return Predicate(
            "documents: query and key in the same document",
            lambda where: where.take(query) == where.take(key),
        )
