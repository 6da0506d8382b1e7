"""Heads cut, paired and put together in the wrong way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from torch import Tensor

from attention.checking.attempt import Attempt, Habit, Slip
from attention.checking.mistakes.mistake import mistake
from attention.checking.workbench import Workbench
from attention.projection import GivenProjection


def _habit(habit: Habit) -> frozenset[Habit]:
    return frozenset({habit})


def split(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Heads by view(B, H, T, D) alone."""
    dims = bench.dims
    if dims.H > 1 and max(dims.T, dims.new_keys) > 1:
        yield Slip(habits=_habit("split_by_reshape"))


def tiled(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Query head h reads KV head h % K."""
    dims = bench.dims
    if 1 < dims.K < dims.H:
        detail = f"query head 1 reads KV head 1, and must read {1 // dims.G}"
        yield Slip(detail, habits=_habit("kv_tiled"), fields=_tiled_fields(attempt, bench))


def _tiled_fields(attempt: Attempt, bench: Workbench) -> dict[str, Any] | None:
    """The same said as MHA whose KV heads are written out; None with a norm over all heads."""
    spec, dims = attempt.spec, bench.dims
    projection, norm = spec.projection, spec.qk_norm
    if norm is not None and norm.k_weight is not None and len(norm.k_weight) != dims.D:
        return None
    found: dict[str, Any] = {"num_kv_heads": dims.H}
    for name in ("k", "v", "past_k", "past_v"):
        heads = getattr(spec, name)
        if isinstance(heads, Tensor):
            if heads.ndim < 3:
                return None
            found[name] = heads.repeat(*(1,) * (heads.ndim - 3), dims.G, 1, 1)
    if isinstance(projection, GivenProjection):
        names = ("w_k", "w_v", "b_k", "b_v")
        rows = {n: getattr(projection, n) for n in names if getattr(projection, n) is not None}
        tiles = {n: r.repeat(dims.G, *(1,) * (r.ndim - 1)) for n, r in rows.items()}
        found["projection"] = replace(projection, **tiles)
    return found


def averaged(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """The mean of the weights over the heads, with or without an axis of 1."""
    dims = bench.dims
    given = bench.given.get("weights")
    if given is None or dims.H == 1:
        return
    without = (dims.B, dims.T, dims.S)
    if tuple(given.values.shape) in (without, (dims.B, 1, dims.T, dims.S)):
        yield Slip(habits=_habit("averaged"), fields={})


def merged(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """heads.reshape(B, T, H·Dv) alone."""
    if bench.dims.H > 1 and bench.dims.T > 1:
        yield Slip(habits=_habit("merged_by_reshape"))


HEADS = [
    mistake(
        "heads_split_without_transpose",
        "",
        split,
        "The heads are cut by x.view(B, H, T, D), which mixes tokens and heads: the numbers of"
        " a token lie side by side. Split the last axis first: x.view(B, T, H, D).transpose(1, 2).",
    ),
    mistake(
        "kv_heads_tiled",
        "k v past_k past_v projection qk_norm",
        tiled,
        "Query head h reads KV head h % K; it must read h // (H // K), so the query heads of a"
        " group stand side by side. Use k.repeat_interleave(H // K, dim=1), not k.repeat(...),"
        " or enable_gqa=True in scaled_dot_product_attention.",
    ),
]
MERGING = [
    mistake(
        "heads_averaged",
        "",
        averaged,
        "The weights are the mean over the heads. nn.MultiheadAttention returns that unless it"
        " is called with average_attn_weights=False; no single head need look like it.",
    ),
    mistake(
        "heads_merged_without_transpose",
        "",
        merged,
        "The heads [B][H][T][D] are flattened as they lie, which puts other tokens' numbers in"
        " each row. Put the heads beside the width first: out.transpose(1, 2).reshape(B, T, H*D).",
    ),
]
