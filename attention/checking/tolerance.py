"""How far two numbers may be apart and still be the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Tolerance:
    """A cell passes when |got − expected| <= atol + rtol · |expected|."""

    rtol: float
    atol: float


DEFAULTS = {
    torch.float64: Tolerance(rtol=1e-7, atol=1e-9),
    torch.float32: Tolerance(rtol=1e-4, atol=1e-5),
    torch.float16: Tolerance(rtol=1e-2, atol=2e-3),
    torch.bfloat16: Tolerance(rtol=5e-2, atol=1e-2),
}
"""About a hundred roundings of the dtype: other kernels add in another order."""


def tolerance_for(computed: torch.dtype, stored: Iterable[torch.dtype]) -> Tolerance:
    """The default for the coarsest of the computing dtype and those that numbers came in."""
    kinds = [computed, *(dtype for dtype in stored if dtype in DEFAULTS)]
    return max((DEFAULTS[kind] for kind in kinds), key=lambda tolerance: tolerance.rtol)
