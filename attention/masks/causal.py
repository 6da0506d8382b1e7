"""The causal mask: no query sees a later key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from attention.dimensions import Dimensions
from attention.errors import Path
from attention.masks.predicate import Predicate, for_item, offset_of, shifted_query
from attention.masks.reach import Reach
from attention.reader import Reader


@dataclass(frozen=True)
class Causal:
    """Visible when key <= query + offset."""

    kind: ClassVar[str] = "causal"
    alignment: str | None = None
    offset: Any = None

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Predicate:
        """See `Mask.bind`."""
        offset = offset_of(self.alignment, self.offset, dims, loc)

        def reach(rows: slice, batch: int) -> Reach:
            shift = for_item(offset, batch)
            return Reach(0, rows.stop + shift, 0, rows.start + shift + 1)

        return Predicate(
            f"causal: key <= {shifted_query(offset)}",
            lambda where: where.key <= where.query + where.of(offset),
            reach=reach,
        )
