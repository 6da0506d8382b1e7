"""Weights of whole rows without the whole rows at once: softmax tile by tile, then merged.

Within a tile the softmax is over the tile's own keys. A row's tiles are brought together by their
logsumexps: a weight of the whole row is the tile's weight times exp(tile's lse − row's lse).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import torch
from torch import Tensor

from attention import stages
from attention.arrays import widened
from attention.masks.reach import Reach
from attention.rectangle import Rectangle
from attention.spans import reach_of, span_of
from attention.task import KnownRows, Task

ROWS, KEYS = 512, 2048
"""A tile: large enough for the matrix product, small enough to stay in the cache."""
WHOLE_ROWS, WHOLE_KEYS = 256, 8192
"""Rows of so many keys are one tile, with fewer rows: nothing has to be merged."""

INSTEAD = {"zero": float("-inf"), "nan": float("nan"), "uniform": 0.0}
"""Scores that give a row which sees no key the weights that ``fully_masked`` says."""

Edges: TypeAlias = tuple[tuple[slice, Tensor], ...]


def tile_size(task: Task) -> tuple[int, int]:
    """How many rows and keys are worked on together.

    16-bit rows stay whole, so that their weights round as they do in the whole result.
    """
    S = task.dims.S
    if S <= WHOLE_KEYS or task.q.element_size() < 4:
        return max(1, min(WHOLE_ROWS, WHOLE_ROWS * WHOLE_KEYS // S)), S
    return ROWS, KEYS


@dataclass(frozen=True)
class Tile:
    """Some rows against some keys of one head: ``weights`` [R, C] softmaxed over these keys.

    ``peak`` [R] is the largest masked score and ``lse`` [R] the logsumexp; a row whose scores
    are all −Infinity weighs 0. ``edges`` are the columns where masks had to be asked.
    """

    where: Rectangle
    weights: Tensor
    peak: Tensor
    lse: Tensor
    edges: Edges


class Room:
    """Memory for one tile after another, so that nothing large is allocated in between."""

    def __init__(self, task: Task, dtype: torch.dtype | None = None) -> None:
        rows, keys = tile_size(task)
        cells = min(rows, task.dims.T) * min(keys, task.dims.S)
        self._flat = torch.empty(cells, dtype=dtype or task.q.dtype)

    def of(self, where: Rectangle) -> Tensor:
        """R·C numbers, uninitialised."""
        R, C = where.shape
        return self._flat[: R * C]


@dataclass(frozen=True)
class Block:
    """Some rows of one head, and the keys that they see."""

    task: Task
    rows: slice
    batch: int
    head: int

    def where(self, cols: slice) -> Rectangle:
        """The rows against some keys."""
        return Rectangle(self.rows, cols, self.batch, self.head)

    @cached_property
    def reach(self) -> Reach:
        """Which keys these rows can see at all, and which they surely all see."""
        return reach_of(self.task, self.rows, self.batch)

    @property
    def span(self) -> tuple[int, int]:
        """The keys that can leave a trace in these rows; beyond them all is hidden and skipped."""
        return span_of(self.task, self.reach)

    def edges(self, cols: slice) -> Edges:
        """What masks allow where it is not sure: columns from ``cols.start``, and [R, c]."""
        return tuple(
            (
                slice(side.start - cols.start, side.stop - cols.start),
                stages.allowed(self.task, self.where(side))[0, 0],
            )
            for side in self.reach.unsure(cols)
        )

    @cached_property
    def known(self) -> KnownRows:
        """What is remembered of this head."""
        T, dtype = self.task.dims.T, widened(self.task.q.dtype)
        rows = self.task.known_rows
        return rows.setdefault((self.batch, self.head), KnownRows(T, dtype))

    def known_lse(self) -> Tensor | None:
        """The logsumexp of whole rows [R], if it is remembered and weights can be made by it.

        16-bit weights cannot: they would not round as in the whole result.
        """
        return None if self.task.q.element_size() < 4 else self.known.of(self.rows)

    @cached_property
    def blind(self) -> Tensor | None:
        """Rows that see no key at all [R], None where there are none."""
        if self.reach.sees_something:
            return None
        blind = torch.ones(self.rows.stop - self.rows.start, dtype=torch.bool)
        for cols in pieces(self.reach.first, self.reach.last, tile_size(self.task)[1]):
            blind &= stages.blind_rows(stages.allowed(self.task, self.where(cols)))[0, 0]
            if not blind.any():
                return None
        return blind

    def scores(self, cols: slice, room: Room) -> Tensor:
        """Scores before masking [R, C], in ``room``."""
        where = self.where(cols)
        return stages.scores(self.task, where, room.of(where))[0, 0]

    def masked_scores(self, cols: slice, room: Room, edges: Edges) -> Tensor:
        """What enters the softmax [R, C], in ``room``."""
        scores = self.scores(cols, room)
        for here, visible in edges:
            part = self.where(slice(cols.start + here.start, cols.start + here.stop))
            stages.mask_in_place(self.task, scores[:, here], visible, part)
        return scores

    def tile(self, cols: slice, room: Room, settle: bool = True) -> Tile:
        """The softmax over some keys; rows that see none as ``fully_masked`` says, if settled."""
        edges = self.edges(cols)
        masked = self.masked_scores(cols, room, edges)
        if settle and self.blind is not None:
            masked[self.blind] = INSTEAD[self.task.spec.fully_masked]
        peak = masked.amax(-1)
        narrow = masked.element_size() < 4
        lse = stages.logsumexp(masked[None, None], None)[0, 0] if narrow else peak
        weights = torch.softmax(masked, -1, out=masked)
        none = peak == float("-inf")
        if none.any():
            weights[none] = 0
        if not narrow:
            lse = (peak - weights.amax(-1).log()).masked_fill_(none, float("-inf"))
        if self.task.spec.mask_order == "after_softmax":
            for here, visible in edges:
                seen = visible if self.blind is None else visible | self.blind[:, None]
                weights[:, here] *= seen
        return Tile(self.where(cols), weights, peak.to(lse.dtype), lse, edges)

    def logsumexp(self, room: Room) -> Tensor:
        """Of whole rows [R], sinks counted."""
        rows = Rows(self)
        for cols in pieces(*self.span, tile_size(self.task)[1]):
            rows.add(self.tile(cols, room, settle=False))
        infinite = rows.peak == float("inf")
        return rows.close(settled=False).masked_fill_(infinite, float("inf"))

    def mixed(self, room: Room) -> Tensor:
        """The weights, dropped out if asked, times v: [R, Dv]."""
        rows, parts = Rows(self), []
        for cols in pieces(*self.span, tile_size(self.task)[1]):
            tile = self.tile(cols, room)
            rows.add(tile)
            used = stages.used_weights(self.task, tile.weights[None, None], tile.where)
            v = stages.kv_heads(self.task.v, self.task.dims.H, tile.where)[:, :, cols]
            parts.append((tile.lse, stages.mix(used, v)[0, 0]))
        lse = rows.close()
        found = [shared(values, self.share(tile_lse, lse)) for tile_lse, values in parts]
        return found[0] if len(found) == 1 else torch.stack(found).sum(0)

    def share(self, tile_lse: Tensor, lse: Tensor) -> Tensor | None:
        """What a tile's weights are multiplied by to be weights of whole rows [R]; None for 1."""
        found = (tile_lse - lse).exp_().masked_fill_(self.undefined(lse), float("nan"))
        if self.blind is not None and self.task.spec.fully_masked == "zero":
            found.masked_fill_(self.blind, 0)
        return None if bool((found == 1).all()) else found

    def undefined(self, lse: Tensor) -> Tensor:
        """Rows whose weights are NaN, as the plain formula has it [R]."""
        found = ~torch.isfinite(lse)
        if self.blind is not None and self.task.spec.fully_masked == "zero":
            found &= ~self.blind
        return found


class Rows:
    """The logsumexp of a block's rows, tile by tile."""

    def __init__(self, block: Block) -> None:
        self._block = block
        count = block.rows.stop - block.rows.start
        wide = widened(block.task.q.dtype)
        self.peak = torch.full((count,), float("-inf"), dtype=wide)
        self.lse = self.peak.clone()

    def add(self, tile: Tile) -> None:
        """Take in one more tile."""
        self.peak = torch.maximum(self.peak, tile.peak)
        self.lse = torch.logaddexp(self.lse, tile.lse)

    def close(self, settled: bool = True) -> Tensor:
        """All tiles are in: the sink joins them, but not in rows that ``fully_masked`` decides."""
        sinks = stages.sinks(self._block.task, self._block.where(slice(0, 0)))
        if sinks is not None:
            with_sink = torch.logaddexp(self.lse, sinks.flatten().to(self.lse.dtype))
            blind = self._block.blind if settled else None
            self.lse = with_sink if blind is None else self.lse.where(blind, with_sink)
        return self.lse


def shared(values: Tensor, share: Tensor | None) -> Tensor:
    """A tile's part [R, n] of the whole rows, in place."""
    return values if share is None else values.mul_(share.to(values.dtype)[:, None])


def pieces(start: int, stop: int, most: int) -> Iterator[slice]:
    """[start, stop) in runs of at most ``most``."""
    yield from (slice(at, min(at + most, stop)) for at in range(start, stop, most))
