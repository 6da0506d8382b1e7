"""Decoding over a growing cache, a token or a chunk at a time, and the proof that it equals the
full pass."""

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
class TopLeft:
    """What a causal mask anchored at key 0 would show: query i of a step sees keys 0 to i.

    weights [B, H, C, P], output [B, C, E]; right only where nothing was cached before the step.
    """

    weights: Tensor
    output: Tensor
    max_abs_difference_from_full: float


@dataclass(frozen=True)
class Step:
    """C queries taken in at once; P keys are in the cache then, the new ones included.

    ``position`` is that of the first query. q [B, H, C, D]; scores, masked_scores and weights
    [B, H, C, P]; allowed [B, 1 or H, C, P]; output [B, C, E]. ``bytes`` are those of keys and
    values of one layer in the dtype, ``siblings`` the same as MHA, with this K, and as MQA.
    """

    position: int
    cache_shape: tuple[int, int, int, int]
    bytes: int
    siblings: dict[str, int]
    q: Tensor
    scores: Tensor
    masked_scores: Tensor
    allowed: Tensor
    weights: Tensor
    output: Tensor
    max_abs_difference_from_full: float
    top_left: TopLeft


def decode(spec: Specification, prefill: int, chunk: int = 1) -> Iterator[Step]:
    """Take in ``prefill`` tokens at once, then ``chunk`` at a time over the cache.

    The prefill, where there is any, is the first step. The tokens of a step are projected,
    normalised and rotated by themselves, and their keys and values are written into the cache;
    the step then sees what the cache holds, later tokens of its own chunk masked: query i stands
    at key P − C + i, which is the causal mask's bottom-right alignment.
    A finite ``fill``, and ``uniform`` rows that see no key, weigh later keys too in the full
    pass, which a cache does not hold: the difference shows it.
    Errors: `SpecificationError` where there is nothing to decode.
    """
    dims = Dimensions.of(spec)
    _check(spec, dims, prefill, chunk)
    full = forward(prepare(_causal(spec)))
    cache = _Cache(full.task)
    for start, stop in _spans(dims.T, prefill, chunk):
        cache.take_in(start, stop)
        yield _step(cache, full, start, stop)


def _spans(T: int, prefill: int, chunk: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges of tokens taken in together; the last chunk may be shorter."""
    if prefill:
        yield 0, prefill
    for start in range(prefill, T, chunk):
        yield start, min(start + chunk, T)


def cache_bytes(dims: Dimensions, P: int, itemsize: int, num_kv_heads: int | None = None) -> int:
    """Bytes of keys and values of P tokens in one layer: B · K · P · (D + Dv) · itemsize."""
    K = dims.K if num_kv_heads is None else num_kv_heads
    return dims.B * K * P * (dims.D + dims.Dv) * itemsize


def kv_kinds(dims: Dimensions) -> dict[str, int]:
    """How many KV heads the same query heads have as MHA, as they are, and as MQA."""
    return {"mha": dims.H, "gqa": dims.K, "mqa": 1}


class _Cache:
    """Keys and values of the tokens seen so far, in room for all of them."""

    def __init__(self, task: Task) -> None:
        P = task.dims.P
        q, k, v = (torch.zeros_like(tensor) for tensor in (task.q, task.k, task.v))
        k[:, :, :P], v[:, :, :P] = task.k[:, :, :P], task.v[:, :, :P]
        self.task = replace(task, q=q, k=k, v=v)

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


def _step(cache: _Cache, full: Result, start: int, stop: int) -> Step:
    task, dims = cache.task, cache.task.dims
    P, size = dims.P + stop, task.reader.dtype.itemsize
    rows = Rectangle(slice(start, stop), slice(0, P))
    scores = stages.scores(task, rows)  # [B H C P]
    visible = stages.allowed(task, rows)
    masked = stages.masked_scores(task, scores, visible, rows)
    weights = stages.attention_weights(task, masked, visible, rows)
    output = _output(task, weights)  # [B C E]
    return Step(
        position=start,
        cache_shape=(dims.B, dims.K, P, dims.D),
        bytes=cache_bytes(dims, P, size),
        siblings={kind: cache_bytes(dims, P, size, K) for kind, K in kv_kinds(dims).items()},
        q=task.q[:, :, start:stop].clone(),
        scores=scores,
        masked_scores=masked,
        allowed=visible,
        weights=weights,
        output=output,
        max_abs_difference_from_full=_from_full(weights, output, full, rows),
        top_left=_top_left(task, scores, visible, full, rows),
    )


def _top_left(
    task: Task, scores: Tensor, visible: Tensor, full: Result, rows: Rectangle
) -> TopLeft:
    """The same step with its causal mask in the corner where a square mask has it."""
    visible = visible & (rows.key <= rows.query - rows.rows.start)
    masked = stages.masked_scores(task, scores, visible, rows)
    weights = stages.attention_weights(task, masked, visible, rows)
    output = _output(task, weights)
    return TopLeft(weights, output, _from_full(weights, output, full, rows))


def _output(task: Task, weights: Tensor) -> Tensor:
    """Weights over the first P keys [B, H, C, P] to the output of these queries [B, C, E]."""
    heads = stages.mix(weights, task.v[:, :, : weights.shape[-1]])  # [B H C Dv]
    return project_output(merge_heads(heads), task.weights)


def _from_full(weights: Tensor, output: Tensor, full: Result, at: Rectangle) -> float:
    """The largest difference from these rows of the full pass, over weights and output."""
    return max(
        difference(weights, full.weights[:, :, at.rows, at.cols]).max_abs,
        difference(output, full.output[:, at.rows]).max_abs,
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


def _check(spec: Specification, dims: Dimensions, prefill: int, chunk: int) -> None:
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
    if chunk < 1:
        raise SpecificationError(
            "chunk counts the tokens of one step",
            loc=("chunk",), expected="1 or more", got=chunk,
        )  # fmt: skip
