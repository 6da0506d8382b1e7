"""The same attention tile by tile, with no T × S matrix: what FlashAttention computes, and how."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attention import stages
from attention.arrays import widened
from attention.errors import SpecificationError
from attention.rectangle import Rectangle
from attention.result import Result
from attention.task import Task

MOST_TILES = 4096
"""Each costs some calls of torch, however small it is."""


@dataclass(frozen=True)
class TiledAttention:
    """``heads`` [B, H, T, Dv] from ``tiles`` tiles, and ``full``, weights times v, of the run.

    ``cells`` are the most scores of one head that were held at once.
    """

    heads: Tensor
    full: Tensor
    tiles: int
    cells: int


def tiled_attention(result: Result, tile: int) -> TiledAttention:
    """Weights times v by a running softmax over tiles of ``tile`` queries × ``tile`` keys.

    Each row keeps its largest score m so far, Σ exp(s − m) and Σ exp(s − m)·v; a tile with a
    larger score shrinks both sums by exp(m − new m) (Dao et al., 2022, section 3.1). Dropout is
    left out. Rows that see no key are what ``fully_masked`` says, not a softmax's.

    Errors: `SpecificationError` where the tiles would be more than `MOST_TILES`.
    """
    task, T, S = result.task, result.layout.T, result.layout.S
    starts, tiles = range(0, T, tile), -(-T // tile) * -(-S // tile)
    if tiles > MOST_TILES:
        raise SpecificationError(
            f"{T} × {S} cells are cut into at most {MOST_TILES} tiles",
            loc=("tile",),
            expected="a larger tile",
            got=tile,
        )
    rows = [_rows(task, slice(start, min(start + tile, T)), tile) for start in starts]
    full = stages.mix(result.weights, task.v).to(widened(task.v.dtype))
    heads = torch.where(result.empty_rows[..., None], full, torch.cat(rows, -2))
    return TiledAttention(
        heads, full, len(starts) * len(range(0, S, tile)), min(tile, T) * min(tile, S)
    )


def _rows(task: Task, rows: slice, tile: int) -> Tensor:
    """Some rows against all keys, a tile at a time: [B, H, R, Dv]."""
    dims, wide = task.dims, widened(task.q.dtype)
    shape = dims.B, dims.H, rows.stop - rows.start
    peak = torch.full((*shape, 1), float("-inf"), dtype=wide)
    total, mixed = torch.zeros(*shape, 1, dtype=wide), torch.zeros(*shape, dims.Dv, dtype=wide)
    if task.sinks is not None:  # a sink is a score without a value
        peak, total = task.sinks.to(wide).expand(*shape, 1), total + 1
    for start in range(0, dims.S, tile):
        where = Rectangle(rows, slice(start, min(start + tile, dims.S)))
        visible = stages.allowed(task, where)
        scores = stages.masked_scores(task, stages.scores(task, where), visible, where).to(wide)
        highest = torch.maximum(peak, scores.amax(-1, keepdim=True))
        origin = highest.masked_fill(highest == float("-inf"), 0)
        shares, shrunk = torch.exp(scores - origin), torch.exp(peak - origin)
        total = total * shrunk + shares.sum(-1, keepdim=True)
        if task.spec.mask_order == "after_softmax":
            shares = shares * visible
        mixed = mixed * shrunk + stages.mix(shares, task.v[:, :, where.cols].to(wide))
        peak = highest
    return mixed / total.masked_fill(total == 0, 1)
