"""Decoding token by token over a growing cache, and the proof that it equals the full pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from attention import stages
from attention.arrays import as_tensor
from attention.comparison import difference
from attention.dimensions import Dimensions
from attention.errors import SpecificationError
from attention.forward import forward
from attention.masks import Causal
from attention.projection import merge_heads, project_output
from attention.rectangle import Rectangle
from attention.result import Result
from attention.rotary import Rope
from attention.specification import Specification
from attention.task import Task, positioned, prepare, project


@dataclass(frozen=True)
class Step:
    """One decoded position: P keys are in the cache, the new one included.

    q [B, H, 1, D]; scores, masked_scores and weights [B, H, 1, P]; output [B, 1, E].
    ``bytes`` are those of keys and values of one layer in the dtype.
    """

    position: int
    cache_shape: tuple[int, int, int, int]
    bytes: int
    q: Tensor
    scores: Tensor
    masked_scores: Tensor
    weights: Tensor
    output: Tensor
    max_abs_difference_from_full: float


def decode(spec: Specification, prefill: int) -> Iterator[Step]:
    """Take in ``prefill`` tokens at once, then one at a time over the cache.

    Each token is projected, normalised and rotated alone, and its keys and values are written
    into the cache; the step then sees what the cache holds, which is what a causal mask shows.
    A finite ``fill``, and ``uniform`` rows that see no key, weigh later keys too in the full
    pass, which a cache does not hold: the difference shows it.
    Errors: `SpecificationError` where there is nothing to decode.
    """
    dims = Dimensions.of(spec)
    _check(spec, dims, prefill)
    full = forward(prepare(_causal(spec)))
    cache = _Cache(full.task, prefill)
    for position in range(prefill, dims.T):
        cache.take_in(position, position + 1)
        yield _step(cache, full, position)


def cache_bytes(dims: Dimensions, P: int, itemsize: int, num_kv_heads: int | None = None) -> int:
    """Bytes of keys and values of P tokens in one layer: B · K · P · (D + Dv) · itemsize."""
    K = dims.K if num_kv_heads is None else num_kv_heads
    return dims.B * K * P * (dims.D + dims.Dv) * itemsize


class _Cache:
    """Keys and values of the tokens seen so far, in room for all of them."""

    def __init__(self, task: Task, prefill: int) -> None:
        P = task.dims.P
        q, k, v = (torch.zeros_like(tensor) for tensor in (task.q, task.k, task.v))
        k[:, :, :P], v[:, :, :P] = task.k[:, :, :P], task.v[:, :, :P]
        self.task = replace(task, q=q, k=k, v=v)
        if prefill:
            self.take_in(0, prefill)

    def take_in(self, start: int, stop: int) -> None:
        """Project tokens ``start`` to ``stop`` by themselves and write them into the cache."""
        task, P = self.task, self.task.dims.P
        part = _tokens(task.spec, task.dims, start, stop)
        dims = replace(task.dims, T=stop - start, S=stop - start, P=0)
        q, k, v = project(part, task.weights, dims, task.reader)
        q, k, v = positioned(part, dims, task.reader, q, k, v)
        task.q[:, :, start:stop] = q
        task.k[:, :, P + start : P + stop] = k
        task.v[:, :, P + start : P + stop] = v


def _step(cache: _Cache, full: Result, position: int) -> Step:
    task, dims = cache.task, cache.task.dims
    P = dims.P + position + 1
    row = Rectangle(slice(position, position + 1), slice(0, P))
    scores = stages.scores(task, row)  # [B H 1 P]
    visible = stages.allowed(task, row)
    masked = stages.masked_scores(task, scores, visible, row)
    weights = stages.attention_weights(task, masked, visible, row)
    heads = stages.mix(weights, task.v[:, :, :P])  # [B H 1 Dv]
    output = project_output(merge_heads(heads), task.weights)
    here = slice(position, position + 1)
    return Step(
        position=position,
        cache_shape=(dims.B, dims.K, P, dims.D),
        bytes=cache_bytes(dims, P, task.reader.dtype.itemsize),
        q=task.q[:, :, here].clone(),
        scores=scores,
        masked_scores=masked,
        weights=weights,
        output=output,
        max_abs_difference_from_full=max(
            difference(weights, full.weights[:, :, here, :P]).max_abs,
            difference(output, full.output[:, here]).max_abs,
        ),
    )


def _causal(spec: Specification) -> Specification:
    """The full pass that decoding equals: causal from where the cache ends, no dropout."""
    dims = Dimensions.of(spec)
    return replace(spec, masks=(*spec.masks, Causal(offset=dims.P)), dropout=None)


def _tokens(spec: Specification, dims: Dimensions, start: int, stop: int) -> Specification:
    """The specification of some tokens alone: their vectors, at their positions, no cache."""

    def cut(array: Any, name: str) -> Tensor | None:
        return None if array is None else as_tensor(array, (name,))[..., start:stop, :]

    return replace(
        spec,
        x=cut(spec.x, "x"), q=cut(spec.q, "q"), k=cut(spec.k, "k"), v=cut(spec.v, "v"),
        past_k=None, past_v=None, tokens=None, memory_tokens=None,
        rope=None if spec.rope is None else _rope_at(spec.rope, dims, start, stop),
    )  # fmt: skip


def _rope_at(rope: Rope, dims: Dimensions, start: int, stop: int) -> Rope:
    """The rotation of some tokens, at the positions they have in the whole."""
    if rope.cos is not None and rope.sin is not None:
        cos, sin = (
            as_tensor(table, ("rope",))[..., start:stop, :] for table in (rope.cos, rope.sin)
        )
        return replace(rope, cos=cos, sin=sin)
    counted = torch.arange(dims.P, dims.P + dims.T)
    q_at = counted if rope.positions is None else as_tensor(rope.positions, ("rope", "positions"))
    k_at = q_at
    if rope.key_positions is not None:
        k_at = as_tensor(rope.key_positions, ("rope", "key_positions"))
    return replace(rope, positions=q_at[..., start:stop], key_positions=k_at[..., start:stop])


def _check(spec: Specification, dims: Dimensions, prefill: int) -> None:
    if spec.memory is not None:
        raise SpecificationError(
            "decoding grows the cache from x, which memory does not",
            loc=("memory",), expected="no memory", got="memory",
        )  # fmt: skip
    if dims.new_keys != dims.T:
        raise SpecificationError(
            "decoding brings one key with each query",
            loc=("k",), expected=f"as many new keys as queries ({dims.T})", got=dims.new_keys,
        )  # fmt: skip
    if spec.mask_order == "after_softmax":
        raise SpecificationError(
            "a step over the cache cannot mask what is not there yet after the softmax",
            loc=("mask_order",), expected="before_softmax", got="after_softmax",
        )  # fmt: skip
    if not 0 <= prefill <= dims.T:
        raise SpecificationError(
            "prefill counts the tokens taken in at once",
            loc=("prefill",), expected=f"0 to {dims.T}", got=prefill,
        )  # fmt: skip
