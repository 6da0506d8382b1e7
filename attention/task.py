"""A specification made ready to compute: everything up to the heads, and bound masks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from attention.arrays import DTYPES, all_finite, expect_shape, is_number, say, with_axes
from attention.dimensions import HEADS_AXES, Dimensions
from attention.errors import ShapeError, SpecificationError
from attention.masks import Predicate
from attention.projection import RandomProjection, Weights, split_heads
from attention.reader import Reader
from attention.rectangle import Rectangle
from attention.specification import Specification


class KnownRows:
    """The logsumexp of those of a head's rows [T] that were once seen whole."""

    def __init__(self, T: int, dtype: torch.dtype) -> None:
        self.lse = torch.empty(T, dtype=dtype)
        self.known = torch.zeros(T, dtype=torch.bool)

    def of(self, rows: slice) -> Tensor | None:
        """[R], None unless all of them are known."""
        return self.lse[rows] if bool(self.known[rows].all()) else None

    def keep(self, rows: slice, lse: Tensor) -> None:
        """The numbers come before the sign that they are there, for those who read meanwhile."""
        self.lse[rows] = lse
        self.known[rows] = True


@dataclass(frozen=True)
class Task:
    """q [B, H, T, D], k [B, K, S, D], v [B, K, S, Dv] and all that acts between them."""

    spec: Specification
    dims: Dimensions
    reader: Reader
    q: Tensor
    k: Tensor
    v: Tensor
    weights: Weights | None
    scale: float
    fill: float
    sinks: Tensor | None
    biases: tuple[Callable[[Rectangle], Tensor], ...]
    masks: tuple[Predicate, ...]
    query_labels: list[list[str]]
    key_labels: list[list[str]]

    @cached_property
    def known_rows(self) -> dict[tuple[int, int], KnownRows]:
        """By batch item and head, what windows have found out; it only ever saves work."""
        return {}

    @cached_property
    def values_are_finite(self) -> bool:
        """Whether v holds no NaN or infinity, so that a weight of 0 really adds nothing."""
        return all_finite(self.v)


def prepare(spec: Specification, dims: Dimensions | None = None) -> Task:
    """Project, normalise, rotate and put the cache in front; check and bind masks and biases."""
    dims = dims or Dimensions.of(spec)
    reader = Reader(spec.dtype)
    query_labels, key_labels = labels(spec, dims)
    scale, fill = scale_of(spec, dims), fill_of(spec, reader)
    if spec.dropout is not None:
        spec.dropout.check()
    masks, biases = masks_of(spec, dims, reader), biases_of(spec, dims, reader)
    weights = weights_of(spec, dims, reader)
    q, k, v = project(spec, weights, dims, reader)  # [B H T D]  [B K S-P D|Dv]
    q, k, v = positioned(spec, dims, reader, q, k, v)  # [B H T D]  [B K S D|Dv]
    return Task(
        spec=spec,
        dims=dims,
        reader=reader,
        q=q,
        k=k,
        v=v,
        weights=weights,
        scale=scale,
        fill=fill,
        sinks=sinks_of(spec, dims, reader),
        biases=biases,
        masks=masks,
        query_labels=query_labels,
        key_labels=key_labels,
    )


def weights_of(spec: Specification, dims: Dimensions, reader: Reader) -> Weights | None:
    """What projects x; None for heads given directly."""
    if spec.x is None:
        return None
    return (spec.projection or RandomProjection()).weights(dims, reader)


def project(
    spec: Specification, weights: Weights | None, dims: Dimensions, reader: Reader
) -> tuple[Tensor, Tensor, Tensor]:
    """X W_q, X W_k, X W_v with the heads apart; or the heads as given."""
    if weights is None:
        q, k, v = (
            with_axes(reader.read(array, (name,)), 2, 4, HEADS_AXES, (name,))
            for name, array in (("q", spec.q), ("k", spec.k), ("v", spec.v))
            if array is not None
        )
        return q, k, v
    assert spec.x is not None
    x = with_axes(reader.read(spec.x, ("x",)), 2, 3, "[T][E] or [B][T][E]", ("x",))
    source = x
    if spec.memory is not None:
        source = with_axes(reader.read(spec.memory, ("memory",)), 2, 3, "", ("memory",))
    q = split_heads(x, weights.w_q, weights.b_q, dims.H)  # [B H T D]
    k = split_heads(source, weights.w_k, weights.b_k, dims.K)  # [B K S-P D]
    v = split_heads(source, weights.w_v, weights.b_v, dims.K)  # [B K S-P Dv]
    return q, k, v


def positioned(
    spec: Specification, dims: Dimensions, reader: Reader, q: Tensor, k: Tensor, v: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """q, k and v normalised and rotated, with the cache in front of the new keys."""
    if spec.qk_norm is not None:
        q, k = spec.qk_norm.apply(q, k, reader)
    if spec.rope is not None:
        q, k = spec.rope.apply(q, k, dims, reader)
    k = _with_cache(spec.past_k, k, "past_k", reader)  # [B K S D]
    v = _with_cache(spec.past_v, v, "past_v", reader)  # [B K S Dv]
    return q, k, v


def _with_cache(past: Any, new: Tensor, name: str, reader: Reader) -> Tensor:
    if past is None:
        return new
    cached = with_axes(reader.read(past, (name,)), 2, 4, "", (name,))
    return torch.cat([cached, new], 2)


def scale_of(spec: Specification, dims: Dimensions) -> float:
    """What q·k is multiplied by; it and the softcap are checked."""
    for name in ("scale", "softcap"):
        value = getattr(spec, name)
        if value is not None and not is_number(value):
            raise SpecificationError(f"{name} must be a finite number", loc=(name,), got=say(value))
    if spec.softcap is not None and spec.softcap <= 0:
        raise SpecificationError(
            "softcap must be positive; leave it out to switch it off",
            loc=("softcap",),
            expected="more than 0",
            got=say(spec.softcap),
        )
    limits = torch.finfo(DTYPES[spec.dtype])
    if spec.softcap is not None and not limits.tiny <= spec.softcap <= limits.max:
        raise SpecificationError(
            f"softcap must be a number that {spec.dtype} holds",
            loc=("softcap",),
            expected=f"{limits.tiny:g} to {limits.max:g}",
            got=say(spec.softcap),
        )
    if spec.scale is not None and abs(spec.scale) > limits.max:
        raise SpecificationError(
            f"scale must be a number that {spec.dtype} holds",
            loc=("scale",),
            expected=f"at most {limits.max:g} in size",
            got=say(spec.scale),
        )
    return float(dims.D**-0.5 if spec.scale is None else spec.scale)


def fill_of(spec: Specification, reader: Reader) -> float:
    """What a blocked score is set to, as the dtype holds it."""
    if spec.fill in ("-Infinity", float("-inf")):
        return float("-inf")
    if not is_number(spec.fill):
        raise SpecificationError(
            "fill is what a masked score is set to",
            loc=("fill",),
            expected='"-Infinity" or a finite number',
            got=say(spec.fill),
        )
    return reader.number(float(spec.fill), ("fill",))


def masks_of(spec: Specification, dims: Dimensions, reader: Reader) -> tuple[Predicate, ...]:
    """The masks bound to this run's lengths."""
    return tuple(m.bind(dims, reader, ("masks", i)) for i, m in enumerate(spec.masks))


def biases_of(
    spec: Specification, dims: Dimensions, reader: Reader
) -> tuple[Callable[[Rectangle], Tensor], ...]:
    """The biases bound to this run's lengths."""
    return tuple(b.bind(dims, reader, ("biases", i)) for i, b in enumerate(spec.biases))


def sinks_of(spec: Specification, dims: Dimensions, reader: Reader) -> Tensor | None:
    """One logit per head, [1, H, 1, 1]."""
    if spec.sinks is None:
        return None
    sinks = reader.read(spec.sinks, ("sinks",))
    expect_shape(sinks, (dims.H,), "[H], one logit per query head", ("sinks",))
    return sinks.reshape(1, dims.H, 1, 1)


def labels(spec: Specification, dims: Dimensions) -> tuple[list[list[str]], list[list[str]]]:
    """Labels of queries [B][T] and keys [B][S]; cached keys without names are c0, c1 …"""
    shared = spec.memory is None and dims.new_keys == dims.T
    queries = _labels(spec.tokens, dims.B, (dims.T,), "tokens")
    keys = _labels(spec.memory_tokens, dims.B, (dims.S, dims.new_keys), "memory_tokens")
    query_rows = queries or [[f"t{i}" for i in range(dims.T)]] * dims.B
    if keys is None:
        new = query_rows if shared else [[f"m{i}" for i in range(dims.new_keys)]] * dims.B
        keys = new
    cached = [f"c{i}" for i in range(dims.P)]
    return query_rows, [row if len(row) == dims.S else cached + row for row in keys]


def _labels(
    given: Sequence[Any] | None, B: int, counts: tuple[int, ...], name: str
) -> list[list[str]] | None:
    if given is None:
        return None
    nested = len(given) > 0 and all(isinstance(row, (list, tuple)) for row in given)
    rows = [list(row) for row in given] if nested else [list(given)] * B
    if len(rows) != B:
        raise ShapeError(
            f"{name} has one list per batch item", loc=(name,), expected=f"{B} lists", got=len(rows)
        )
    for i, row in enumerate(rows):
        place = (name, i) if nested else (name,)
        if len(row) not in counts:
            raise ShapeError(
                f"{name} has one label per token",
                loc=place,
                expected=" or ".join(map(str, sorted(set(counts)))) + " labels",
                got=len(row),
            )
        for j, label in enumerate(row):
            if not isinstance(label, str):
                raise SpecificationError("a label is text", loc=(*place, j), got=say(label))
    return rows
