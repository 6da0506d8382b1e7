"""The numbers of `head_statistics` row by row, for long sequences: all of them in one pass.

A row's tiles are brought together as its weights are: with s = exp(peak − row's lse), the
entropy is Σ s·H − Σ s ln s·Σ w over the tiles, and the others are Σ s·(…) or max s·(…).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.arrays import expect_index, expect_span, widened
from attention.head_statistics import filling
from attention.pooling import Cells
from attention.rectangle import Rectangle
from attention.task import Task
from attention.tiles import Block, Room, Rows, pieces, stay_whole, tile_size

NAMES = ("entropy", "mean_distance", "first_key_weight", "largest_weight")


@dataclass(frozen=True)
class RowStatistics:
    """``of[name]`` [heads, R] is the mean over the rows of each cell, ``means[name]`` [heads]
    over all of them. ``counted`` [heads, R] says how many rows of a cell count: those of real
    tokens that see a key. Where none does, the numbers are NaN.
    """

    heads: tuple[int, ...]
    rows: Cells
    of: dict[str, Tensor]
    means: dict[str, Tensor]
    counted: Tensor


def row_statistics(
    task: Task,
    batch: int = 0,
    heads: Sequence[int] | None = None,
    rows: tuple[int, int] | None = None,
    max_rows: int = 512,
    step: Callable[[], None] | None = None,
) -> RowStatistics:
    """Entropy, distance, weight on key 0 and largest weight of rows, none of them a sample.

    ``rows`` is a half-open range, pooled to at most ``max_rows`` cells. ``step`` is called
    after every block of rows. Errors: `SpecificationError` for what is not there.
    """
    chosen = tuple(range(task.dims.H)) if heads is None else tuple(heads)
    cells = rows_asked(task, batch, chosen, rows, max_rows)
    found = torch.stack([_head(task, batch, head, cells, step) for head in chosen])
    sums, counted = found[:, :-1], found[:, -1]  # [heads 4 R]  [heads R]
    each, overall = sums / counted[:, None], sums.sum(-1) / counted.sum(-1)[:, None]
    wide = widened(task.reader.dtype)
    return RowStatistics(
        chosen,
        cells,
        {name: each[:, i].to(wide) for i, name in enumerate(NAMES)},
        {name: overall[:, i].to(wide) for i, name in enumerate(NAMES)},
        counted.long(),
    )


def rows_asked(
    task: Task, batch: int, heads: Sequence[int], rows: tuple[int, int] | None, max_rows: int
) -> Cells:
    """The rows as cells; everything asked for is checked."""
    expect_index("batch", batch, task.dims.B)
    for head in heads:
        expect_index("heads", head, task.dims.H)
    expect_span("rows", rows, task.dims.T)
    return Cells.of(*(rows or (0, task.dims.T)), max_rows)


def _head(
    task: Task, batch: int, head: int, cells: Cells, step: Callable[[], None] | None
) -> Tensor:
    """Sums over the rows of each cell that count, and how many do: [5, R] float64."""
    room, spare = Room(task), Room(task, widened(task.q.dtype))
    found = torch.zeros(len(NAMES) + 1, cells.count, dtype=torch.float64)
    filled = filling(task)
    for start, stop in cells.strips(tile_size(task)[0]):
        block = Block(task, slice(start, stop), batch, head)
        numbers = _block(block, room, spare).double()  # [4 r]
        counts = torch.ones(stop - start, dtype=torch.bool)
        if block.blind is not None:
            counts &= ~block.blind
        if filled is not None:
            counts &= ~filled[min(batch, len(filled) - 1), start:stop]
        kept = torch.cat([numbers.masked_fill(~counts, 0), counts[None]])
        cell = (torch.arange(start, stop) - cells.start) // cells.width
        found.index_add_(1, cell, kept)
        if step is not None:
            step()
    return found


def _block(block: Block, room: Room, spare: Room) -> Tensor:
    """The four numbers of some rows, [4, R]."""
    P = block.task.dims.P
    if stay_whole(block.task):
        every = slice(*block.span)
        weights = block.weights(every, room).to(spare.dtype)
        _, sums, largest = _described(weights, block.where(every), spare, P)
        return torch.cat([sums, largest[None]])
    rows, parts = Rows(block), []
    for cols in pieces(*block.span, tile_size(block.task)[1]):
        tile = block.tile(cols, room)
        rows.add(tile)
        parts.append((tile.peak, *_described(tile.weights, tile.where, spare, P)))
    lse = rows.close()
    block.known.keep(block.rows, lse)
    found = torch.zeros(len(NAMES), len(lse), dtype=lse.dtype)
    for peak, total, sums, largest in parts:
        share = block.share(peak, lse)[:, 0]
        found[:3] += share * sums
        found[0] -= torch.xlogy(share, share) * total
        found[3] = torch.maximum(found[3], share * largest)
    return found


def _described(
    weights: Tensor, where: Rectangle, spare: Room, P: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Of rows: Σ w [R]; −Σ w ln w, Σ w·distance and w of key 0 [3, R]; max w [R]."""
    work = spare.of(where).view(where.shape)
    least = torch.finfo(weights.dtype).tiny
    entropy = -torch.clamp(weights, min=least, out=work).log_().mul_(weights).sum(-1)
    query, key = (where.query + P).to(work.dtype), where.key.to(work.dtype)
    distance = torch.sub(query, key, out=work).abs_().mul_(weights).sum(-1)
    first = weights[:, 0] if where.cols.start == 0 else torch.zeros_like(entropy)
    return weights.sum(-1), torch.stack([entropy, distance, first]), weights.amax(-1)
