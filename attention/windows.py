"""One window of one stage of one head, pooled to a picture's size; exact at any length.

Rows are computed tile by tile over every key they can see, so the softmax is the full one while
memory stays that of a tile. Keys that masks hide from a whole tile are not computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attention import stages
from attention.arrays import expect_index, expect_span, say, widened
from attention.errors import SpecificationError
from attention.pooling import Cells, Pool
from attention.projection import project_output
from attention.steps import CELLS, STAGES
from attention.task import Task
from attention.tiles import KEYS, Block, Edges, Room, Rows, pieces, stay_whole, tile_size


@dataclass(frozen=True)
class Window:
    """Which part of which stage, and how it is pooled; ranges are half-open, None is all."""

    stage: str
    batch: int = 0
    head: int = 0
    rows: tuple[int, int] | None = None
    cols: tuple[int, int] | None = None
    max_rows: int = 512
    max_cols: int = 512
    reduce: str = "max"


@dataclass(frozen=True)
class View:
    """A picture's numbers: ``z`` and ``masked`` [R][C], the cells along rows and columns.

    ``masked`` is the share of each cell's pairs that masks hide, 0…1.
    """

    z: Tensor
    masked: Tensor
    rows: Cells
    cols: Cells
    rows_total: int
    cols_total: int


@dataclass(frozen=True)
class ViewStrip:
    """Some rows of cells of a picture, final: ``z`` and ``masked`` [rows, C], maybe none yet.

    ``done`` of ``of`` runs of rows are computed.
    """

    done: int
    of: int
    rows: slice
    z: Tensor
    masked: Tensor


def view(task: Task, window: Window, step: Callable[[], None] | None = None) -> View:
    """Compute a window; ``step`` is called after every run of rows.

    Scores: max and mean over visible pairs, −Infinity where there are none. Other stages: of
    all pairs, with the numbers they have. For k and v, ``head`` counts KV heads.
    Errors: `SpecificationError` for a stage, head or range that is not there.
    """
    pool = _pool(task, window)
    for _ in _blocks(task, window, pool):
        if step is not None:
            step()
    return View(
        *_result(task, pool, slice(0, pool.rows.count)),
        pool.rows,
        pool.cols,
        *stage_size(task, window.stage),
    )


def view_strips(task: Task, window: Window) -> Iterator[ViewStrip]:
    """`view` strip by strip, as they are ready; together they are its ``z`` and ``masked``."""
    pool = _pool(task, window)
    blocks = list(pool.rows.strips(tile_size(task)[0]))
    first = 0
    for done, stop in enumerate(_blocks(task, window, pool), 1):
        ready = pool.rows.count if done == len(blocks) else pool.rows.first_of(slice(stop, stop))
        rows = slice(first, ready)
        yield ViewStrip(done, len(blocks), rows, *_result(task, pool, rows))
        first = ready


def _blocks(task: Task, window: Window, pool: Pool) -> Iterator[int]:
    """Take in one run of rows after another; after each, the row where the next begins."""
    room = Room(task)
    for start, stop in pool.rows.strips(tile_size(task)[0]):
        block = Block(task, slice(start, stop), window.batch, window.head)
        if STAGES[window.stage] != CELLS:
            vectors(block, window, pool, room)
        else:
            see_sure(pool, block)
            stage = weights if window.stage in ("weights", "dropped_weights") else cells
            stage(block, window, pool, room)
        yield stop


def _result(task: Task, pool: Pool, rows: slice) -> tuple[Tensor, Tensor]:
    wide = widened(task.reader.dtype)
    z, masked = pool.result(rows)
    return z.to(wide), masked.to(wide)


def window_cells(task: Task, window: Window) -> tuple[Cells, Cells]:
    """The cells along rows and columns of a window; it is checked first."""
    total = _checked_size(task, window)
    return (
        Cells.of(*(window.rows or (0, total[0])), window.max_rows),
        Cells.of(*(window.cols or (0, total[1])), window.max_cols),
    )


def _pool(task: Task, window: Window) -> Pool:
    rows, cols = window_cells(task, window)
    missing = 0.0 if window.stage in ("weights", "dropped_weights") else float("-inf")
    dtype = widened(task.q.dtype)
    return Pool(rows, cols, window.reduce, window.stage == "scores", missing, dtype)


def window_work(task: Task, window: Window) -> tuple[int, int]:
    """Cells of the picture and multiply-adds of q·k that a window takes; it is checked first."""
    rows, cols = window_cells(task, window)
    heads = task.dims.H if window.stage == "output" else 1
    keys = cols.stop - cols.start if _stays_inside(task, window, rows) else task.dims.S
    products = heads * (rows.stop - rows.start) * keys * task.dims.D
    return rows.count * cols.count, 0 if window.stage in ("q", "k", "v") else products


def _stays_inside(task: Task, window: Window, rows: Cells) -> bool:
    """Whether no key beside the window's columns is visited: its rows need none, or are known."""
    if window.stage in ("weights", "dropped_weights"):
        block = Block(task, slice(rows.start, rows.stop), window.batch, window.head)
        return block.known_lse() is not None
    return STAGES[window.stage] == CELLS


def cells(block: Block, window: Window, pool: Pool, room: Room) -> None:
    """Scores, masked scores and what masks allow, on some rows of a window."""
    task, S = block.task, block.task.dims.S
    only_visible = window.stage == "scores"
    span = (block.reach.first, block.reach.last) if only_visible else (0, S)
    nothing = float("-inf") if window.reduce == "max" else 0.0
    for cols in within(pool.cols, span, tile_size(task)[1]):
        edges = block.edges(cols)
        see(pool, block, cols, edges)
        if window.stage == "masked_scores":
            values = block.masked_scores(cols, room, edges)
        elif only_visible:
            values = block.scores(cols, room)
            for here, visible in edges:
                values[:, here].masked_fill_(~visible, nothing)
        else:
            where = block.where(cols)
            values = room.of(where).view(where.shape).fill_(1)
            for here, visible in edges:
                values[:, here] = visible
        pool.add(block.rows, cols, values)


def weights(block: Block, window: Window, pool: Pool, room: Room) -> None:
    """Weights, dropped out or not, on some rows of a window: all their keys are visited."""
    (_whole_rows if stay_whole(block.task) else _tiles)(block, window, pool, room)


def _whole_rows(block: Block, window: Window, pool: Pool, room: Room) -> None:
    shown = list(within(pool.cols, block.span, block.task.dims.S))
    first, last = block.span
    first = min([first, *(cols.start for cols in shown)])  # a cell may begin before the span
    every = slice(first, last)
    found = _used(block, window, block.weights(every, room), every)
    for cols in shown:
        see(pool, block, cols, block.edges(cols))
        pool.add(block.rows, cols, found[:, cols.start - first : cols.stop - first])
    _leave_undefined(block, found[:, 0].isnan(), pool)


def _tiles(block: Block, window: Window, pool: Pool, room: Room) -> None:
    """exp grows, so that a cell's largest weight in a row is that of its largest score."""
    most, lse = tile_size(block.task)[1], block.known_lse()
    late = block.task.spec.mask_order == "after_softmax"
    largest = window.reduce == "max" and window.stage == "weights" and not late
    rows, parts = Rows(block), []
    for cols in within(pool.cols, block.span, most):
        tile = block.tile(cols, room, fold=pool.across if largest else None)
        rows.add(tile)
        see(pool, block, cols, tile.edges)
        values = tile.folded
        if values is None:
            values = pool.across(_used(block, window, tile.weights, cols))
        parts.append((cols, tile.peak, values))
    if lse is None:
        for cols in beside(pool.cols, block.span, most):
            rows.add(block.tile(cols, room))
        lse = rows.close()
        block.known.keep(block.rows, lse)
    for cols, peak, values in parts:
        if largest:
            found = block.settled(values.sub_(lse[:, None]).exp_(), lse)
        else:
            found = values.mul_(block.share(peak, lse))
        pool.add_across(block.rows, cols, found)
    _leave_undefined(block, block.undefined(lse), pool)


def _used(block: Block, window: Window, weights: Tensor, cols: slice) -> Tensor:
    if window.stage == "weights":
        return weights
    return stages.used_weights(block.task, weights[None, None], block.where(cols))[0, 0]


def _leave_undefined(block: Block, undefined: Tensor, pool: Pool) -> None:
    """Rows that are NaN [R] are so at every key, those that masks hide included."""
    if undefined.any():
        column = torch.zeros(len(undefined)).masked_fill_(undefined, float("nan"))[:, None]
        for cols in within(pool.cols, (0, block.task.dims.S), KEYS):
            pool.add(block.rows, cols, column.expand(-1, cols.stop - cols.start))


def see_sure(pool: Pool, block: Block) -> None:
    """Count what every row of a block surely sees."""
    first = max(pool.cols.start, block.reach.sure_first)
    last = min(pool.cols.stop, block.reach.sure_last)
    if first < last:
        pool.see(block.rows, slice(first, last))


def see(pool: Pool, block: Block, cols: slice, edges: Edges) -> None:
    """Count what masks leave visible of some columns where they had to be asked."""
    for here, visible in edges:
        pool.see(block.rows, slice(cols.start + here.start, cols.start + here.stop), visible)


def within(cells: Cells, span: tuple[int, int], most: int) -> Iterator[slice]:
    """The window's columns inside a span; each begins where a cell does, or lies in one."""
    first, last = span
    for start, stop in cells.strips(most):
        left, right = max(start, first), min(stop, last)
        if left < right:
            whole = stop - start > cells.width
            yield slice(
                start + (left - start) // cells.width * cells.width if whole else left, right
            )


def beside(cells: Cells, span: tuple[int, int], most: int) -> Iterator[slice]:
    """The span's columns outside the window."""
    first, last = span
    yield from pieces(first, min(cells.start, last), most)
    yield from pieces(max(cells.stop, first), last, most)


def vectors(block: Block, window: Window, pool: Pool, room: Room) -> None:
    """A stage of tokens × numbers, on some rows of a window."""
    cols = slice(pool.cols.start, pool.cols.stop)
    pool.see(block.rows, cols)
    pool.add(block.rows, cols, _vectors(block, window.stage, room)[:, cols])


def _vectors(block: Block, stage: str, room: Room) -> Tensor:
    task = block.task
    if stage in ("q", "k", "v"):
        heads: Tensor = getattr(task, stage)
        return heads[block.batch, block.head, block.rows]
    if stage == "logsumexp":
        return block.logsumexp(room)[:, None]
    if stage == "heads":
        return block.mixed(room)
    every = (replace(block, head=head) for head in range(task.dims.H))
    merged = torch.cat([one.mixed(room) for one in every], -1)
    return project_output(merged, task.weights)


def stage_size(task: Task, stage: str) -> tuple[int, int]:
    """Rows and columns of one head's picture of a stage."""
    dims = task.dims
    merged = dims.H * dims.Dv
    if task.weights is not None and task.weights.w_o is not None:
        merged = task.weights.w_o.shape[0]
    sizes = {
        "q": (dims.T, dims.D),
        "k": (dims.S, dims.D),
        "v": (dims.S, dims.Dv),
        "heads": (dims.T, dims.Dv),
        "output": (dims.T, merged),
        "logsumexp": (dims.T, 1),
    }
    return sizes.get(stage, (dims.T, dims.S))


def _checked_size(task: Task, window: Window) -> tuple[int, int]:
    dims, stage = task.dims, window.stage
    if window.reduce not in ("max", "mean"):
        raise SpecificationError(
            "reduce says how a cell is pooled", loc=("reduce",), expected="max or mean",
            got=say(window.reduce),
        )  # fmt: skip
    if stage not in STAGES or (stage == "dropped_weights" and task.spec.dropout is None):
        raise SpecificationError(
            "stage is a tensor of the answer",
            loc=("stage",),
            expected=", ".join(STAGES) + " (dropped_weights with dropout)",
            got=say(stage),
        )
    heads = dims.K if stage in ("k", "v") else dims.H
    for name, index, count in (("batch", window.batch, dims.B), ("head", window.head, heads)):
        expect_index(name, index, count)
    total = stage_size(task, stage)
    for name, size in zip(("rows", "cols"), total, strict=True):
        expect_span(name, getattr(window, name), size)
    return total
