"""Arrays into the computing dtype, noting what was not finite and what no longer fits."""

from __future__ import annotations

import torch
from torch import Tensor

from attention.arrays import DTYPES, Array, all_finite, as_tensor
from attention.errors import Path, SpecificationError, dotted
from attention.notices import Notice


class Reader:
    """Converts to one dtype and collects `Notice` objects on the way."""

    def __init__(self, dtype: str) -> None:
        self.dtype = DTYPES[dtype]
        self.name = dtype
        self.notices: list[Notice] = []

    def read(self, value: Array, loc: Path) -> Tensor:
        """``value`` in the computing dtype; NaN and Infinity are kept and reported."""
        stored = as_tensor(value, loc)
        if stored.dtype == torch.bool:
            raise SpecificationError("numbers must stand here", loc=loc, got="true/false")
        if not all_finite(stored):
            self.note_non_finite(stored, torch.isfinite(stored), loc)
        return self._convert(stored, loc)

    def read_mask(self, value: Array, loc: Path) -> Tensor:
        """Additive mask numbers: −Infinity is their meaning and not reported."""
        stored = as_tensor(value, loc)
        usual = torch.isfinite(stored) | (stored == float("-inf"))
        if not usual.all():
            self.note_non_finite(stored, usual, loc)
        return self._convert(stored, loc)

    def number(self, value: float, loc: Path) -> float:
        """A single number as the dtype holds it."""
        return float(self._convert(torch.tensor(value, dtype=torch.float64), loc))

    def _convert(self, stored: Tensor, loc: Path) -> Tensor:
        converted = stored.to(self.dtype)
        if converted is stored or all_finite(converted):
            return converted
        lost = torch.isfinite(stored) & ~torch.isfinite(converted)
        if lost.any():
            largest = torch.finfo(self.dtype).max
            self.notices.append(
                Notice(
                    "overflow",
                    f"{int(lost.sum())} finite number(s) in {dotted(loc)} are beyond the largest"
                    f" {self.name} ({largest:g}) and became infinite",
                    concerns=dotted(loc),
                )
            )
        return converted

    def note_non_finite(self, stored: Tensor, usual: Tensor, loc: Path) -> None:
        """Report each array once, with the first place."""
        odd = ~usual
        first = tuple(odd.nonzero()[0].tolist()) if stored.ndim else ()
        self.notices.append(
            Notice(
                "non_finite_input",
                f"{dotted(loc)} holds {int(odd.sum())} value(s) that are not finite, the first"
                f" ({stored[first].item()}) at {list(first)}",
                concerns=dotted(loc),
            )
        )
