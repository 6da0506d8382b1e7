"""The prefix mask: everyone sees the first keys, the rest is causal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from attention.dimensions import Dimensions
from attention.errors import Path, SpecificationError
from attention.masks.predicate import (
    Predicate,
    for_item,
    numbers_text,
    offset_of,
    per_batch,
    shifted_query,
)
from attention.masks.reach import Reach
from attention.reader import Reader


@dataclass(frozen=True)
class Prefix:
    """Visible when key < length, or key <= query + offset."""

    kind: ClassVar[str] = "prefix"
    length: Any
    alignment: str | None = None
    offset: Any = None

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Predicate:
        """See `Mask.bind`."""
        length = per_batch(self.length, dims, (*loc, "length"))
        if ((length < 0) | (length > dims.S)).any():
            raise SpecificationError(
                "length counts keys",
                loc=(*loc, "length"),
                expected=f"0 to {dims.S}",
                got=numbers_text(length),
            )
        offset = offset_of(self.alignment, self.offset, dims, loc)

        def reach(rows: slice, batch: int) -> Reach:
            shift, shared = for_item(offset, batch), for_item(length, batch)
            last, sure_last = rows.stop + shift, rows.start + shift + 1
            return Reach(0, max(last, shared), 0, max(sure_last, shared))

        return Predicate(
            f"prefix: key < {numbers_text(length)} or key <= {shifted_query(offset)}",
            lambda where: (
                (where.key < where.of(length)) | (where.key <= where.query + where.of(offset))
            ),
            reach=reach,
        )
