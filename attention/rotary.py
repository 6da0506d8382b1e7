"""Rotary position embedding (Su et al., 2021) in both layouts of the pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attention.arrays import as_integers, is_number, is_whole, say, with_axes
from attention.dimensions import Dimensions
from attention.errors import Path, ShapeError, SpecificationError, shape_text
from attention.reader import Reader


@dataclass(frozen=True)
class Rope:
    """Rotate the first R entries of each head of q and of the new k.

    ``half`` pairs entry i with i + R/2; ``interleaved`` pairs 2i with 2i + 1. Angles are
    position · base^(−2i/R), or ready tables ``cos`` and ``sin`` [T][R] or [B or 1][T][R].
    """

    style: str
    base: float | None = None
    dim: int | None = None
    positions: Any = None
    key_positions: Any = None
    cos: Any = None
    sin: Any = None

    def apply(
        self, q: Tensor, k: Tensor, dims: Dimensions, reader: Reader
    ) -> tuple[Tensor, Tensor]:
        """q [B, H, T, D] and the new k [B, K, S − P, D], rotated."""
        if self.style not in ("half", "interleaved"):
            raise SpecificationError(
                "style says how entries pair up",
                loc=("rope", "style"),
                expected="half or interleaved",
                got=say(self.style),
            )
        if self.cos is not None or self.sin is not None:
            cos, sin = self._tables(dims, reader)
            return self._rotate(q, cos, sin), self._rotate(k, cos, sin)
        positions = self._positions(self.positions, dims.T, ("rope", "positions"), dims)
        keys = self.key_positions
        if keys is None and dims.new_keys == dims.T and not dims.cross:
            keys = self.positions
        key_positions = self._positions(keys, dims.new_keys, ("rope", "key_positions"), dims)
        return (
            self._rotate(q, *self._angles(positions, dims.D, q.dtype)),
            self._rotate(k, *self._angles(key_positions, dims.D, q.dtype)),
        )

    def _positions(self, given: Any, count: int, loc: Path, dims: Dimensions) -> Tensor:
        if given is None:
            return dims.P + torch.arange(count)[None]
        positions = with_axes(as_integers(given, loc), 1, 2, "[T] or [B][T]", loc)
        if positions.shape[-1] != count or positions.shape[0] not in (1, dims.B):
            raise ShapeError(
                f"{loc[-1]} has one entry per token",
                loc=loc,
                expected=f"[{count}] or [{dims.B}][{count}]",
                got=shape_text(positions.shape),
            )
        return positions

    def _angles(self, positions: Tensor, D: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
        base = 10000.0 if self.base is None else self.base
        if not is_number(base) or base <= 0:
            raise SpecificationError(
                "base is a positive number", loc=("rope", "base"), got=say(self.base)
            )
        R = D if self.dim is None else self.dim
        loc = ("rope", "dim")
        if not is_whole(R) or R < 2 or R > D or R % 2:
            raise SpecificationError(
                "rotary width must be even, since entries rotate in pairs, and within the head",
                loc=loc,
                expected=f"an even number from 2 to {D}",
                got=f"{R}" + (" (the head width)" if self.dim is None else ""),
            )
        rates = float(base) ** (-torch.arange(0, R, 2, dtype=torch.float64) / R)
        angles = positions[..., None].double() * rates
        double = (
            torch.cat([angles, angles], -1)
            if self.style == "half"
            else (angles.repeat_interleave(2, -1))
        )
        return double.cos().to(dtype), double.sin().to(dtype)

    def _tables(self, dims: Dimensions, reader: Reader) -> tuple[Tensor, Tensor]:
        for name in ("base", "dim", "positions", "key_positions"):
            if getattr(self, name) is not None:
                raise SpecificationError(
                    f"ready tables cos and sin leave no use for {name}",
                    loc=("rope", name),
                    expected=f"either cos and sin, or {name}",
                    got="both",
                )
        tables = []
        for name in ("cos", "sin"):
            loc = ("rope", name)
            if getattr(self, name) is None:
                raise SpecificationError("cos and sin come together", loc=loc, got="only one")
            table = with_axes(
                reader.read(getattr(self, name), loc), 2, 3, "[T][R] or [B or 1][T][R]", loc
            )
            self._check_table(table, dims, loc)
            tables.append(table)
        if tables[0].shape != tables[1].shape:
            raise ShapeError(
                "cos and sin have one shape",
                loc=("rope", "sin"),
                expected=shape_text(tables[0].shape),
                got=shape_text(tables[1].shape),
            )
        return tables[0], tables[1]

    def _check_table(self, table: Tensor, dims: Dimensions, loc: Path) -> None:
        B, T, R = table.shape
        if dims.new_keys != dims.T:
            raise ShapeError(
                "ready tables hold one row per token, for q and the new k alike",
                loc=loc,
                expected=f"as many new keys as queries ({dims.T})",
                got=dims.new_keys,
            )
        if B not in (1, dims.B) or dims.T != T or R % 2 or not 2 <= R <= dims.D:
            raise ShapeError(
                "a rotary table has a row per token and an even number of columns",
                loc=loc,
                expected=f"[{dims.B} or 1][{dims.T}][R], R even, 2 to {dims.D}",
                got=shape_text(table.shape),
            )

    def _rotate(self, heads: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """x·cos + rotated(x)·sin on the first R entries of [B, N, T, D]."""
        R = cos.shape[-1]
        turning, still = heads[..., :R], heads[..., R:]
        if self.style == "half":
            a, b = turning.chunk(2, -1)
            quarter = torch.cat([-b, a], -1)
        else:
            a, b = turning[..., 0::2], turning[..., 1::2]
            quarter = torch.stack([-b, a], -1).flatten(-2)
        turned = turning * cos[:, None] + quarter * sin[:, None]
        return torch.cat([turned, still], -1)
