"""Weights of whole rows without the whole rows at once: exponentials tile by tile, then scaled.

Within a tile every score is taken relative to its row's largest there, its peak. A row's tiles are
brought together by their logsumexps: a weight is exp(score − peak) · exp(peak − row's lse).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

ROWS, KEYS = 512, 4096
"""A tile: large enough for the matrix product, small enough to stay in the cache."""
WHOLE_KEYS = 8192
"""Rows of no more keys are worked on whole: nothing has to be merged."""
WHOLE_ROWS, WHOLE_CELLS = 512, 2**21
"""At most so many of them together."""

INSTEAD = {"zero": float("-inf"), "nan": float("nan"), "uniform": 0.0}
"""Scores that give a row which sees no key the weights that ``fully_masked`` says."""

Edges: TypeAlias = tuple[tuple[slice, Tensor], ...]
Fold: TypeAlias = Callable[[Tensor], Tensor]


def stay_whole(task: Task) -> bool:
    """Whether rows are not cut: short ones, and 16-bit ones, which would round otherwise."""
    return task.dims.S <= WHOLE_KEYS or task.q.element_size() < 4


def tile_size(task: Task) -> tuple[int, int]:
    """How many rows and keys are worked on together."""
    S = task.dims.S
    if stay_whole(task):
        return max(1, min(WHOLE_ROWS, WHOLE_CELLS // S)), S
    return ROWS, KEYS


@dataclass(frozen=True)
class Tile:
    """Some rows against some keys of one head: ``weights`` [R, C] are exp(masked score − peak).

    ``peak`` [R] is the row's largest masked score here, 0 where all are −Infinity, and ``total``
    [R] the sum of exp(masked score − peak). ``edges`` are the columns where masks had to be asked.
    ``folded`` are the masked scores as they were asked for.
    """

    where: Rectangle
    weights: Tensor
    peak: Tensor
    total: Tensor
    edges: Edges
    folded: Tensor | None = None

    @property
    def lse(self) -> Tensor:
        """The logsumexp of these keys alone [R]."""
        return self.peak + self.total.log()


class Room:
    """Memory for one tile after another, so that nothing large is allocated in between."""

    def __init__(self, task: Task, dtype: torch.dtype | None = None) -> None:
        rows, keys = tile_size(task)
        cells = min(rows, task.dims.T) * min(keys, task.dims.S)
        self._flat = torch.empty(cells, dtype=dtype or task.q.dtype)

    @property
    def dtype(self) -> torch.dtype:
        """Of the numbers that it has room for."""
        return self._flat.dtype

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
        """The logsumexp of whole rows [R], if it is remembered; rows that stay whole need none."""
        return None if stay_whole(self.task) else self.known.of(self.rows)

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

    def settled_scores(self, cols: slice, room: Room, edges: Edges) -> Tensor:
        """`masked_scores` that give rows which see no key the weights ``fully_masked`` says."""
        masked = self.masked_scores(cols, room, edges)
        if self.blind is not None:
            masked[self.blind] = INSTEAD[self.task.spec.fully_masked]
        return masked

    def tile(self, cols: slice, room: Room, settle: bool = True, fold: Fold | None = None) -> Tile:
        """The exponentials over some keys; ``fold`` keeps each row's largest scores.

        Rows that see none are as ``fully_masked`` says, if settled.
        """
        edges = self.edges(cols)
        masked = (self.settled_scores if settle else self.masked_scores)(cols, room, edges)
        masked = masked.to(widened(masked.dtype))
        folded = None if fold is None else fold(masked)
        peak = (masked if folded is None else folded).amax(-1)
        peak.masked_fill_(peak == float("-inf"), 0)
        weights = masked.sub_(peak[:, None]).exp_()
        total = weights.sum(-1)
        if self.task.spec.mask_order == "after_softmax":
            self._mask_late(weights, edges)
        return Tile(self.where(cols), weights, peak, total, edges, folded)

    def weights(self, cols: slice, room: Room) -> Tensor:
        """Of rows that stay whole, against keys that hold their span: [R, C], in ``room``."""
        edges = self.edges(cols)
        masked = self.settled_scores(cols, room, edges)[None, None]
        sinks = stages.sinks(self.task, self.where(cols))
        weights = stages.softmax(masked, sinks, masked)[0, 0]
        if self.task.spec.mask_order == "after_softmax":
            self._mask_late(weights, edges)
        if self.blind is not None:
            stages.settle_empty_rows(weights, self.blind, self.task.spec.fully_masked)
        return weights

    def _mask_late(self, weights: Tensor, edges: Edges) -> None:
        for here, visible in edges:
            weights[:, here] *= visible if self.blind is None else visible | self.blind[:, None]

    def logsumexp(self, room: Room) -> Tensor:
        """Of whole rows [R], sinks counted."""
        rows = Rows(self)
        for cols in pieces(*self.span, tile_size(self.task)[1]):
            rows.add(self.tile(cols, room, settle=False))
        infinite = rows.peak == float("inf")
        return rows.close(settled=False).masked_fill_(infinite, float("inf"))

    def mixed(self, room: Room) -> Tensor:
        """The weights, dropped out if asked, times v: [R, Dv]."""
        if stay_whole(self.task):
            every = slice(*self.span)
            return self._mixed(self.weights(every, room), every)
        rows, parts = Rows(self), []
        for cols in pieces(*self.span, tile_size(self.task)[1]):
            tile = self.tile(cols, room)
            rows.add(tile)
            parts.append((tile.peak, self._mixed(tile.weights, cols)))
        lse = rows.close()
        return torch.stack([values.mul_(self.share(peak, lse)) for peak, values in parts]).sum(0)

    def _mixed(self, weights: Tensor, cols: slice) -> Tensor:
        used = stages.used_weights(self.task, weights[None, None], self.where(cols))
        v = stages.kv_heads(self.task.v, self.task.dims.H, self.where(cols))[:, :, cols]
        return stages.mix(used, v)[0, 0]

    def share(self, peak: Tensor, lse: Tensor) -> Tensor:
        """What a tile's weights are multiplied by to be weights of whole rows, [R, 1]."""
        return self.settled((peak - lse).exp_()[:, None], lse)

    def settled(self, values: Tensor, lse: Tensor) -> Tensor:
        """Rows [R, n] whose weights are NaN are so, and rows that are to weigh 0; in place."""
        values.masked_fill_(self.undefined(lse)[:, None], float("nan"))
        if self.blind is not None and self.task.spec.fully_masked == "zero":
            values.masked_fill_(self.blind[:, None], 0)
        return values

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


def pieces(start: int, stop: int, most: int) -> Iterator[slice]:
    """[start, stop) in runs of at most ``most``."""
    yield from (slice(at, min(at + most, stop)) for at in range(start, stop, most))
