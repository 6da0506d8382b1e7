"""Axes moved between the layouts that frameworks use and the API's [B][H][T][D]."""

from __future__ import annotations

from ..exchange import Array


def split_heads(merged: Array, heads: int) -> Array:
    """[B][T][H·D], heads outermost in the last axis, to [B][H][T][D]."""
    batch, length, width = merged.shape
    return merged.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)


def merge_heads(heads: Array) -> Array:
    """[B][H][T][D] to [B][T][H·D]."""
    batch, count, length, width = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(batch, length, count * width)


def swap_heads_and_length(tensor: Array) -> Array:
    """[B][T][H]… to [B][H][T]…, and back."""
    return tensor.swapaxes(1, 2)
