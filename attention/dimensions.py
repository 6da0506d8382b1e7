"""Every length of a run, read off the shapes before anything is computed or allocated."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING

from torch import Tensor

from attention.arrays import with_axes
from attention.errors import Path, ShapeError, SpecificationError, shape_text

if TYPE_CHECKING:
    from attention.specification import Specification

HEADS_AXES = "[T][D], [heads][T][D] or [B][heads][T][D]"


@dataclass(frozen=True)
class Dimensions:
    """B batch, T queries, S keys (P of them cached), H query and K KV heads, D and Dv widths.

    E is the width of ``x`` and E_mem of where keys come from; both None for direct heads.
    """

    B: int
    T: int
    S: int
    P: int
    H: int
    K: int
    D: int
    Dv: int
    E: int | None = None
    E_mem: int | None = None
    cross: bool = False

    @property
    def G(self) -> int:
        """Query heads per KV head."""
        return self.H // self.K

    @property
    def new_keys(self) -> int:
        """Keys that are not from the cache."""
        return self.S - self.P

    @property
    def kind(self) -> str:
        """mha, gqa or mqa."""
        return "mha" if self.K == self.H else "mqa" if self.K == 1 else "gqa"

    def weight_shapes(self) -> dict[str, tuple[int, int]]:
        """[out][in] of each projection; only with ``x``."""
        assert self.E is not None and self.E_mem is not None
        return {
            "w_q": (self.H * self.D, self.E),
            "w_k": (self.K * self.D, self.E_mem),
            "w_v": (self.K * self.Dv, self.E_mem),
            "w_o": (self.E, self.H * self.Dv),
        }

    def weight_rule(self, name: str) -> str:
        """Where the two lengths of a projection's weight come from, in words."""
        return {
            "w_q": f"out = num_heads ({self.H}) x head_dim ({self.D}), in = width of x ({self.E})",
            "w_k": f"out = num_kv_heads ({self.K}) x head_dim ({self.D}), in = {self.E_mem}",
            "w_v": f"out = num_kv_heads ({self.K}) x value_dim ({self.Dv}), in = {self.E_mem}",
            "w_o": f"in = num_heads ({self.H}) x value_dim ({self.Dv})",
        }[name]

    @classmethod
    def of(cls, spec: Specification) -> Dimensions:
        """Measure a specification; errors name both numbers that disagree."""
        _check_source(spec)
        return _of_vectors(spec) if spec.x is not None else _of_heads(spec)


def _check_source(spec: Specification) -> None:
    direct = [name for name in ("q", "k", "v") if getattr(spec, name) is not None]
    if spec.x is not None and direct:
        raise SpecificationError(
            "either x or q, k and v are given",
            loc=(direct[0],),
            expected="one of the two",
            got=f"x and {', '.join(direct)}",
        )
    if spec.x is None and len(direct) < 3:
        missing = "x" if not direct else next(n for n in ("q", "k", "v") if n not in direct)
        raise SpecificationError(
            "either x or q, k and v are required",
            loc=(missing,),
            got=f"only {', '.join(direct)}" if direct else "neither",
        )
    if spec.x is None:
        for name in ("memory", "projection"):
            if getattr(spec, name) is not None:
                raise SpecificationError(
                    f"{name} goes with x; heads given directly are not projected",
                    loc=(name,),
                    got=f"{name} beside q, k and v",
                )
    if (spec.past_k is None) != (spec.past_v is None):
        missing = "past_v" if spec.past_v is None else "past_k"
        raise SpecificationError("past_k and past_v come together", loc=(missing,), got="only one")


def _of_vectors(spec: Specification) -> Dimensions:
    B, T, E = _lengths(spec.x, "x", 3, "[T][E] or [B][T][E]")
    S, E_mem = T, E
    if spec.memory is not None:
        B_mem, S, E_mem = _lengths(spec.memory, "memory", 3, "[S][E_mem] or [B][S][E_mem]")
        _same(B_mem, B, "batch", "memory", "x")
    H = spec.num_heads or 1
    K = spec.num_kv_heads or H
    _check_heads(H, K)
    D = spec.head_dim or _share(E, H)
    Dv = spec.value_dim or D
    P = _cache_length(spec, B, K, D, Dv)
    return Dimensions(B, T, P + S, P, H, K, D, Dv, E, E_mem, cross=spec.memory is not None)


def _of_heads(spec: Specification) -> Dimensions:
    B, H, T, D = _lengths(spec.q, "q", 4, HEADS_AXES)
    B_k, K, S, D_k = _lengths(spec.k, "k", 4, HEADS_AXES)
    B_v, K_v, S_v, Dv = _lengths(spec.v, "v", 4, HEADS_AXES)
    H_said, K_said = spec.num_heads or H, spec.num_kv_heads or K
    _check_heads(H_said, K_said)
    for said, found, name, of in (
        (spec.num_heads, H, "num_heads", "heads in q"),
        (spec.num_kv_heads, K, "num_kv_heads", "heads in k"),
        (spec.head_dim, D, "head_dim", "numbers per head in q"),
        (spec.value_dim, Dv, "value_dim", "numbers per head in v"),
    ):
        if said is not None and said != found:
            raise SpecificationError(
                f"{name} must agree with the heads given",
                loc=(name,),
                expected=f"{found} ({of})",
                got=said,
            )
    _same(D_k, D, "head width", "k", "q")
    for B_other, name in ((B_k, "k"), (B_v, "v")):
        _same(B_other, B, "batch", name, "q")
    _same(K_v, K, "number of heads", "v", "k")
    _same(S_v, S, "number of tokens", "v", "k")
    P = _cache_length(spec, B, K, D, Dv)
    return Dimensions(B, T, P + S, P, H, K, D, Dv)


def _cache_length(spec: Specification, B: int, K: int, D: int, Dv: int) -> int:
    if spec.past_k is None:
        return 0
    k, v = (
        _shape(past, name, 4, "[P][D], [K][P][D] or [B][K][P][D]")
        for past, name in ((spec.past_k, "past_k"), (spec.past_v, "past_v"))
    )
    for shape, name, width in ((k, "past_k", D), (v, "past_v", Dv)):
        for axis, length, rule in ((0, B, "batch"), (1, K, "KV heads"), (3, width, "head width")):
            if shape[axis] != length:
                raise ShapeError(
                    f"{name} must fit the new keys and values ({rule})",
                    loc=(name,),
                    expected=shape_text((B, K, shape[2], width)),
                    got=shape_text(shape),
                )
    _same(v[2], k[2], "number of cached tokens", "past_v", "past_k")
    return k[2]


def _lengths(value: object, name: str, axes: int, form: str) -> tuple[int, ...]:
    shape = _shape(value, name, axes, form)
    if 0 in shape:
        raise ShapeError(
            f"{name} must not be empty",
            loc=(name,),
            expected="at least one number on each axis",
            got=shape_text(shape),
        )
    return shape


def _shape(value: object, name: str, axes: int, form: str) -> tuple[int, ...]:
    assert isinstance(value, Tensor)
    if not value.numel() and value.ndim < 2:
        raise ShapeError(f"{name} must not be empty", loc=(name,), expected=form, got="no numbers")
    return tuple(with_axes(value, 2, axes, form, (name,)).shape)


def _same(got: int, expected: int, what: str, name: str, other: str) -> None:
    if got != expected:
        raise ShapeError(
            f"{name} and {other} must have the same {what}",
            loc=(name,),
            expected=f"{expected} as in {other}",
            got=got,
        )


def _check_heads(H: int, K: int) -> None:
    if H % K:
        raise SpecificationError(
            f"num_heads ({H}) must be a multiple of num_kv_heads ({K})",
            loc=("num_kv_heads",),
            expected=f"one of {divisors_text(H)}",
            got=K,
        )


def _share(E: int, H: int) -> int:
    if E % H:
        raise SpecificationError(
            f"the width of x ({E}) must be divisible by num_heads ({H}), or head_dim be given",
            loc=("num_heads",),
            expected=f"one of {divisors_text(E)}",
            got=H,
        )
    return E // H


def divisors_text(number: int) -> str:
    """All divisors, in order: ``1, 2, 3, 6``."""
    small = [n for n in range(1, isqrt(number) + 1) if number % n == 0]
    return ", ".join(map(str, sorted({*small, *(number // n for n in small)})))


def same_batch(count: int, dims: Dimensions, loc: Path, what: str) -> None:
    """One entry per batch item."""
    if count != dims.B:
        raise ShapeError(
            f"{what} has one entry per batch item", loc=loc, expected=f"{dims.B} entries", got=count
        )
