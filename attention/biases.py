"""Numbers added to the scores: functions of query and key index, like the masks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from attention.arrays import expect_shape
from attention.dimensions import Dimensions
from attention.errors import Path
from attention.masks.matrix import broadcastable
from attention.reader import Reader
from attention.rectangle import Rectangle


class Bias(Protocol):
    """What every bias kind offers."""

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Callable[[Rectangle], Tensor]:
        """A function from a rectangle to what is added there, broadcastable to [B, H, R, C]."""
        ...


@dataclass(frozen=True)
class MatrixBias:
    """``values`` broadcast to [B][H][T][S] by trailing axes, added as they are."""

    values: Any

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Callable[[Rectangle], Tensor]:
        """See `Bias.bind`."""
        place = (*loc, "values")
        values = broadcastable(reader.read(self.values, place), dims, place)
        return lambda where: where.take(values)


@dataclass(frozen=True)
class Alibi:
    """−slope · |query + P − key| (Press et al., 2022), P the cache's length.

    ``slopes`` [H]; None for the published geometric series.
    """

    slopes: Any = None

    def bind(self, dims: Dimensions, reader: Reader, loc: Path) -> Callable[[Rectangle], Tensor]:
        """See `Bias.bind`."""
        place = (*loc, "slopes")
        slopes = reader.read(
            torch.tensor(alibi_slopes(dims.H), dtype=torch.float64)
            if self.slopes is None
            else self.slopes,
            place,
        )
        expect_shape(slopes, (dims.H,), "[H], one slope per query head", place)

        per_head = -slopes.double()[None, :, None, None]

        def added(where: Rectangle) -> Tensor:
            distance = (where.query + dims.P - where.key).abs()
            return (where.of(per_head) * distance).to(slopes.dtype)

        return added


def alibi_slopes(H: int) -> list[float]:
    """The paper's slopes: 2^(−8i/H) for a power of two, else filled from the next power."""
    power = 2 ** math.floor(math.log2(H))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    between = [2 ** (-8 * (i + 1) / (2 * power)) for i in range(0, 2 * power, 2)]
    return slopes + between[: H - power]


BIASES: dict[str, Any] = {"matrix": MatrixBias, "alibi": Alibi}
