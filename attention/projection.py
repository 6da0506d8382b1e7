"""Where q, k and v come from: weights as ``torch.nn.Linear`` has them, [out][in]."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import linear

from attention.arrays import expect_shape, is_whole, say
from attention.dimensions import Dimensions
from attention.errors import ShapeError, SpecificationError, shape_text
from attention.reader import Reader

NAMES = ("w_q", "w_k", "w_v", "w_o")


@dataclass(frozen=True)
class Weights:
    """w_q [H·D][E], w_k [K·D][E_mem], w_v [K·Dv][E_mem], w_o [E][H·Dv], biases [out]."""

    w_q: Tensor
    w_k: Tensor
    w_v: Tensor
    w_o: Tensor | None = None
    b_q: Tensor | None = None
    b_k: Tensor | None = None
    b_v: Tensor | None = None
    b_o: Tensor | None = None


@dataclass(frozen=True)
class RandomProjection:
    """N(0, 1/in) weights and biases, each from a stream of its own under ``seed``.

    NumPy's RandomState is frozen, so the numbers are the same on every machine and version.
    Rows are drawn in order: fewer KV heads keep the first heads' weights.
    """

    seed: int = 0
    bias: bool = True

    def weights(self, dims: Dimensions, reader: Reader) -> Weights:
        """Weights of every projection, ``w_o`` included."""
        if not is_whole(self.seed) or not 0 <= self.seed < 2**32:
            raise SpecificationError(
                "seed is a whole number",
                loc=("projection", "seed"),
                expected="0 to 4294967295",
                got=say(self.seed),
            )
        if not isinstance(self.bias, bool):
            raise SpecificationError(
                "bias is true or false", loc=("projection", "bias"), got=say(self.bias)
            )
        drawn: dict[str, Tensor] = {}

        def draw(stream: int, shape: tuple[int, ...], width: int) -> Tensor:
            found = _known if math.prod(shape) <= MOST_KNOWN else _drawn
            numbers = found(stream, int(self.seed), shape, width)
            return torch.tensor(numbers, dtype=reader.dtype)

        for index, (name, shape) in enumerate(dims.weight_shapes().items()):
            drawn[name] = draw(2 * index, shape, shape[1])
            if self.bias:
                drawn["b" + name[1:]] = draw(2 * index + 1, shape[:1], shape[1])
        return Weights(**drawn)


def _drawn(
    stream: int, seed: int, shape: tuple[int, ...], width: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    numbers: np.ndarray[Any, np.dtype[np.float64]]
    numbers = np.random.RandomState([stream, seed]).standard_normal(shape) / np.sqrt(width)
    return numbers


MOST_KNOWN = 2**12
"""Numbers of a small weight: seeding a generator takes longer than to remember them."""
_known = lru_cache(256)(_drawn)


@dataclass(frozen=True)
class IdentityProjection:
    """q, k and v are the token vectors themselves (their first entries), no ``w_o``."""

    def weights(self, dims: Dimensions, reader: Reader) -> Weights:
        """Rectangular identities [out][in]."""
        shapes = dims.weight_shapes()
        return Weights(
            *(torch.eye(*shapes[name], dtype=reader.dtype) for name in ("w_q", "w_k", "w_v"))
        )


@dataclass(frozen=True)
class GivenProjection:
    """Weights [out][in] and optional biases [out] as given; without ``w_o`` heads are merged."""

    w_q: Any
    w_k: Any
    w_v: Any
    w_o: Any = None
    b_q: Any = None
    b_k: Any = None
    b_v: Any = None
    b_o: Any = None

    def weights(self, dims: Dimensions, reader: Reader) -> Weights:
        """The given arrays, checked against the dimensions."""
        found: dict[str, Tensor] = {}
        for name, (rows, columns) in dims.weight_shapes().items():
            if getattr(self, name) is not None:
                weight = self._matrix(name, rows, columns, dims, reader)
                found[name], rows = weight, weight.shape[0]
            bias = "b" + name[1:]
            if getattr(self, bias) is not None:
                if name not in found:
                    raise SpecificationError(
                        f"{bias} needs {name}", loc=("projection", bias), got=f"no {name}"
                    )
                found[bias] = reader.read(getattr(self, bias), ("projection", bias))
                expect_shape(found[bias], (rows,), "[out]", ("projection", bias))
        return Weights(**found)

    def _matrix(
        self, name: str, rows: int, columns: int, dims: Dimensions, reader: Reader
    ) -> Tensor:
        loc = ("projection", name)
        weight = reader.read(getattr(self, name), loc)
        free = name == "w_o"
        fits = weight.ndim == 2 and weight.shape[1] == columns and (free or weight.shape[0] == rows)
        if fits:
            return weight
        hint = ""
        if tuple(weight.shape) == (columns, rows):
            hint = "; it fits transposed, as a Conv1D or JAX kernel [in][out]"
        elif name == "w_q" and weight.ndim == 2 and weight.shape[0] % dims.H == 0:
            hint = f"; for {weight.shape[0]} rows set head_dim to {weight.shape[0] // dims.H}"
        raise ShapeError(
            f"{name} is [out][in] with {dims.weight_rule(name)}",
            loc=loc,
            expected=shape_text((rows, columns)),
            got=shape_text(weight.shape) + hint,
        )


PROJECTIONS: dict[str, Any] = {
    "random": RandomProjection,
    "identity": IdentityProjection,
    "given": GivenProjection,
}


def split_heads(x: Tensor, weight: Tensor, bias: Tensor | None, heads: int) -> Tensor:
    """x Wᵀ + b, then heads apart: [B, T, E] → [B, heads, T, width]."""
    B, T, _ = x.shape
    return linear(x, weight, bias).view(B, T, heads, -1).transpose(1, 2).contiguous()


def project_output(merged: Tensor, weights: Weights | None) -> Tensor:
    """merged W_oᵀ + b_o: [B, T, H·Dv] → [B, T, E]; the merged heads where there is no W_o."""
    if weights is None or weights.w_o is None:
        return merged
    return linear(merged, weights.w_o, weights.b_o)


def merge_heads(heads: Tensor) -> Tensor:
    """Heads side by side: [B, H, T, Dv] → [B, T, H·Dv]."""
    return heads.transpose(1, 2).flatten(2)
