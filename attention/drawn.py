"""Tensors that are said and not sent: numbers from a seed, the same on every machine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention.errors import LimitError, ShapeError, SpecificationError

DRAWINGS = ("normal", "waves")
FIELDS = {"shape", "seed", "kind"}
SHORTEST_WAVE = 8.0


@dataclass(frozen=True)
class Drawn:
    """``shape`` numbers of a kind under ``seed``; they are drawn when they are asked for.

    ``normal``: each N(0, 1), from NumPy's frozen RandomState. ``waves``: along the tokens, the
    axis before the last, each column is √2·cos(2π(t/λ + φ)), with φ uniform and λ log-uniform
    from 8 to 8 or the number of tokens, whichever is more. Near tokens are then alike, and q and
    k of one seed attend to their own place.
    """

    shape: tuple[int, ...]
    seed: int = 0
    kind: str = "normal"

    @classmethod
    def of(cls, value: Any, most: int) -> Drawn:
        """Read ``{"shape": [T, E], "seed": 0, "kind": "normal"}``; at most ``most`` numbers.

        Errors: `SpecificationError`, `ShapeError` and `LimitError`, with the place.
        """
        if not isinstance(value, Mapping) or not set(value) <= FIELDS or "shape" not in value:
            raise SpecificationError(
                "random numbers have a shape, and may have seed and kind",
                expected='such as {"shape": [64, 16], "seed": 0, "kind": "normal"}',
                got=short(value),
            )
        seed, kind = value.get("seed", 0), value.get("kind", "normal")
        if type(seed) is not int or not 0 <= seed < 2**32:
            raise SpecificationError(
                "seed is a whole number", loc=("seed",), expected="0 to 4294967295", got=short(seed)
            )
        if kind not in DRAWINGS:
            raise SpecificationError(
                "kind is how the numbers are drawn",
                loc=("kind",),
                expected=", ".join(DRAWINGS),
                got=short(kind),
            )
        return cls(_shape(value["shape"], most), seed, kind)

    def tensor(self) -> Tensor:
        """The numbers, float32."""
        random = np.random.RandomState(self.seed)
        if self.kind == "normal":
            return torch.from_numpy(random.standard_normal(self.shape).astype(np.float32))
        T = self.shape[-2] if len(self.shape) > 1 else 1
        columns = (*self.shape[:-2], 1, self.shape[-1])
        longest = max(SHORTEST_WAVE, float(T))
        lengths = SHORTEST_WAVE * (longest / SHORTEST_WAVE) ** random.random_sample(columns)
        phases = random.random_sample(columns)
        tokens = np.arange(T, dtype=np.float64)[:, None]
        waves = np.sqrt(2) * np.cos(2 * np.pi * (tokens / lengths + phases))
        return torch.from_numpy(waves.astype(np.float32).reshape(self.shape))


def _shape(value: Any, most: int) -> tuple[int, ...]:
    whole = isinstance(value, (list, tuple)) and all(type(n) is int and n >= 1 for n in value)
    if not whole or not 1 <= len(value) <= 4:
        raise ShapeError(
            "shape lists 1 to 4 lengths",
            loc=("shape",),
            expected="whole numbers from 1, such as [64, 16]",
            got=short(value),
        )
    if math.prod(value) > most:
        raise LimitError(
            "numbers of one random tensor",
            limit="max_random",
            loc=("shape",),
            expected=f"at most {most}",
            got=math.prod(value),
        )
    return tuple(value)
