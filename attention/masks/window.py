"""The sliding window: a query sees the keys near its own place, both ends included."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from attention.arrays import is_whole, say
from attention.dimensions import Dimensions
from attention.errors import Path, SpecificationError
from attention.masks.predicate import Predicate, for_item, offset_of, shifted_query
from attention.masks.reach import Reach
from attention.reader import Reader
from attention.rectangle import Rectangle


@dataclass(frozen=True)
class Window:
    """Visible when query + offset − left <= key <= query + offset + right; None is open."""

    kind: ClassVar[str] = "window"
    left: int | None = None
    right: int | None = None
    alignment: str | None = None
    offset: Any = None

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Predicate:
        """See `Mask.bind`."""
        for name in ("left", "right"):
            count = getattr(self, name)
            if count is not None and (not is_whole(count) or count < 0):
                raise SpecificationError(
                    f"{name} counts keys beside the query's own",
                    loc=(*loc, name),
                    expected="0 or more, or null for an open side",
                    got=say(count),
                )
        offset = offset_of(self.alignment, self.offset, dims, loc)

        def visible(where: Rectangle) -> Tensor:
            centre = where.query + where.of(offset)
            seen = torch.ones_like(centre + where.key, dtype=torch.bool)
            if self.left is not None:
                seen = seen & (where.key >= centre - self.left)
            if self.right is not None:
                seen = seen & (where.key <= centre + self.right)
            return seen

        def reach(rows: slice, batch: int) -> Reach:
            shift = for_item(offset, batch)
            first, last = rows.start + shift, rows.stop - 1 + shift
            left, right = (dims.T + dims.S + abs(shift) if n is None else n
                           for n in (self.left, self.right))  # fmt: skip
            return Reach(first - left, last + right + 1, last - left, first + right + 1)

        sides = [
            f"{n} to the {side}"
            for n, side in ((self.left, "left"), (self.right, "right"))
            if n is not None
        ]
        return Predicate(
            f"window: {' and '.join(sides) or 'open'}, around {shifted_query(offset)}",
            visible,
            reach=reach,
        )
