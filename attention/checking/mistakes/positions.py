"""Rotary positions and norms of q and k."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from attention.arrays import as_tensor
from attention.checking.attempt import Attempt, Slip
from attention.checking.mistakes.mistake import mistake
from attention.checking.workbench import Workbench


def style(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """The other way of pairing; ready tables as they are, or laid out for it."""
    rope = attempt.spec.rope
    if rope is None:
        return
    other = "half" if rope.style == "interleaved" else "interleaved"
    detail = f"{other} instead of {rope.style}"
    turned = replace(rope, style=other)
    if rope.cos is None:
        yield Slip(detail, {"rope": turned})
        return
    yield Slip(detail + ", the tables as they are", {"rope": turned})
    cos, sin = (as_tensor(t, ("rope",)) for t in (rope.cos, rope.sin))
    laid_out = replace(turned, cos=relaid(cos, other), sin=relaid(sin, other))
    yield Slip(detail + ", and the tables with it", {"rope": laid_out})


def relaid(table: Tensor, style: str) -> Tensor:
    """A table of one style in the columns of the other."""
    if style == "half":
        return torch.cat([table[..., 0::2], table[..., 0::2]], -1)
    return table[..., : table.shape[-1] // 2].repeat_interleave(2, -1)


def offset(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """Counted from 0 despite the cache, or by place despite given positions."""
    rope, dims = attempt.spec.rope, bench.dims
    if rope is None or rope.cos is not None:
        return
    from_zero = list(range(dims.T)), list(range(dims.new_keys))
    if dims.P:
        counted = replace(rope, positions=from_zero[0], key_positions=from_zero[1])
        detail = f"the first new token is at position {dims.P}, and was taken for 0"
        yield Slip(detail, {"rope": counted})
    if rope.positions is not None or rope.key_positions is not None:
        ignored = replace(rope, positions=None, key_positions=None)
        yield Slip("the given positions are not used", {"rope": ignored})


def no_rope(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """q and k as they are projected."""
    if attempt.spec.rope is not None:
        yield Slip("", {"rope": None})


def no_norm(attempt: Attempt, bench: Workbench) -> Iterator[Slip]:
    """q and k as they are projected."""
    if attempt.spec.qk_norm is not None:
        yield Slip("", {"qk_norm": None})


POSITIONS = [
    mistake(
        "rope_style",
        "rope",
        style,
        "The rotation pairs other entries of each head. GPT-J and Meta's Llama weights pair"
        " neighbours (interleaved); GPT-NeoX and Hugging Face's Llama pair entry i with"
        " i + D/2 (half), and permute the weights of q and k when they convert.",
    ),
    mistake(
        "rope_offset",
        "rope",
        offset,
        "The rotation counts positions from the wrong place. With a KV cache the new tokens go"
        " on counting at the cache's length: pass position_ids = past_len + arange(T); with"
        " padding on the left, count the real tokens.",
    ),
    mistake(
        "rope_missing",
        "rope",
        no_rope,
        "q and k are not rotated at all. Apply the rotary embedding to both, after the"
        " projection and before the dot product.",
        extra=True,
    ),
    mistake(
        "qk_norm_missing",
        "qk_norm",
        no_norm,
        "The RMS norm of q and k is left out. Apply it after the projection, before the rotation.",
        extra=True,
    ),
]
