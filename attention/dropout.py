"""Seeded dropout whose decision at a cell depends on its indices alone.

So any rectangle of the weights shows the very cells that the full matrix dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attention.arrays import is_number, is_whole, say
from attention.errors import SpecificationError
from attention.rectangle import Rectangle

_STEP, _MIX_1, _MIX_2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


@dataclass(frozen=True)
class Dropout:
    """Drop each weight with probability ``p``; kept ones are multiplied by 1/(1−p)."""

    p: float
    seed: int = 0

    def check(self) -> None:
        """Refuse a probability outside [0, 1), and a seed that is none."""
        if not is_whole(self.seed) or not 0 <= self.seed < 2**63:
            raise SpecificationError(
                "seed is a whole number",
                loc=("dropout", "seed"),
                expected="0 or more, within 63 bits",
                got=say(self.seed),
            )
        if not is_number(self.p) or not 0 <= self.p < 1:
            raise SpecificationError(
                "p is a probability", loc=("dropout", "p"), expected="0 <= p < 1", got=say(self.p)
            )

    def kept(self, B: int, H: int, where: Rectangle) -> Tensor:
        """True where a weight is kept, [B, H, R, C]."""
        batch = torch.arange(B)[where.items(B), None, None, None]
        head = torch.arange(H)[None, where.heads(H), None, None]
        state = torch.tensor(_signed(int(self.seed) * _STEP))
        for index in (batch, head, where.query, where.key):
            state = _mixed(state + _signed(_STEP) * (index + 1))
        uniform = _shifted(state, 11).double() / 2**53
        return uniform >= self.p

    def apply(self, weights: Tensor, B: int, H: int, where: Rectangle) -> Tensor:
        """What multiplies v: weights·kept/(1−p), [B, H, R, C]."""
        return weights * self.kept(B, H, where) / (1 - self.p)


def _mixed(state: Tensor) -> Tensor:
    """The finaliser of the splitmix64 generator (Steele, Lea and Flood, 2014) on int64."""
    state = (state ^ _shifted(state, 30)) * _signed(_MIX_1)
    state = (state ^ _shifted(state, 27)) * _signed(_MIX_2)
    return state ^ _shifted(state, 31)


def _shifted(state: Tensor, bits: int) -> Tensor:
    """Unsigned right shift of int64."""
    return (state >> bits) & ((1 << (64 - bits)) - 1)


def _signed(value: int) -> int:
    """A 64-bit pattern as the int64 that has it."""
    value &= 2**64 - 1
    return value - 2**64 if value >= 2**63 else value
