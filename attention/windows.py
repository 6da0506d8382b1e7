"""One window of one stage of one head, pooled to a picture's size; exact at any length.

Rows are computed strip by strip over every key they can see, so the softmax is the full one
while memory grows with the strip. Keys that masks hide from a whole strip are not computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attention import stages
from attention.arrays import expect_index, say, widened
from attention.errors import SpecificationError
from attention.masks.reach import Reach, common
from attention.pooling import Cells, Pool, Seen, Strip
from attention.projection import project_output
from attention.rectangle import Rectangle
from attention.steps import CELLS, STAGES
from attention.task import Task

STRIP_CELLS = 2**20


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


def view(task: Task, window: Window) -> View:
    """Compute a window.

    Scores: max and mean over visible pairs, −Infinity where there are none. Other stages: of
    all pairs, with the numbers they have. For k and v, ``head`` counts KV heads.
    Errors: `SpecificationError` for a stage, head or range that is not there.
    """
    total = _checked_size(task, window)
    rows = Cells.of(*(window.rows or (0, total[0])), window.max_rows)
    cols = Cells.of(*(window.cols or (0, total[1])), window.max_cols)
    pool = Pool(rows, cols, window.reduce, window.stage == "scores")
    strip_of = cell_strip if STAGES[window.stage] == CELLS else vector_strip
    for start, stop in rows.strips(max(1, STRIP_CELLS // task.dims.S)):
        where = Rectangle(
            slice(start, stop), slice(cols.start, cols.stop), window.batch, window.head
        )
        pool.add(start, strip_of(task, window, where))
    z, masked = pool.result()
    wide = widened(task.reader.dtype)
    return View(z.to(wide), masked.to(wide), rows, cols, *total)


def window_work(task: Task, window: Window) -> tuple[int, int]:
    """Cells of the picture and multiply-adds of q·k that a window takes; it is checked first."""
    total = _checked_size(task, window)
    rows = Cells.of(*(window.rows or (0, total[0])), window.max_rows)
    cols = Cells.of(*(window.cols or (0, total[1])), window.max_cols)
    heads = task.dims.H if window.stage == "output" else 1
    products = heads * (rows.stop - rows.start) * task.dims.S * task.dims.D
    return rows.count * cols.count, 0 if window.stage in ("q", "k", "v") else products


def cell_strip(task: Task, window: Window, where: Rectangle) -> Strip:
    """A stage of queries × keys on some rows of a window."""
    seen = _seen(task, where, reach_of(task, where.rows, window.batch))
    if window.stage in ("weights", "dropped_weights"):
        return _weights_strip(task, window, where, seen)
    if window.stage == "scores":
        return Strip(_visible_scores(task, where, seen, window.reduce), seen=seen)
    visible = stages.allowed(task, where)
    if window.stage == "allowed":
        return Strip(visible[0, 0].to(task.reader.dtype), seen=seen)
    found = stages.masked_scores(task, stages.scores(task, where), visible, where)
    return Strip(found[0, 0], seen=seen)


def _visible_scores(task: Task, where: Rectangle, seen: Seen, how: str) -> Tensor:
    """Scores with −Infinity (for a max) or 0 (for a mean) at masked pairs, [r, c]."""
    nothing = float("-inf") if how == "max" else 0.0
    found = stages.scores(task, where)[0, 0]
    kept = torch.full_like(found, nothing)
    for part, visible in seen:
        numbers = found[:, part]
        kept[:, part] = numbers if visible is None else numbers.where(visible, nothing)
    return kept


def _weights_strip(task: Task, window: Window, where: Rectangle, seen: Seen) -> Strip:
    """Weights of whole rows, cut to the window's columns."""
    weights, first = row_weights(task, where.rows, window.batch, window.head)
    left = max(first, where.cols.start)
    right = max(left, min(first + weights.shape[1], where.cols.stop))
    shown = weights[:, left - first : right - first]
    if window.stage == "dropped_weights":
        part = Rectangle(where.rows, slice(left, right), where.batch, where.head)
        shown = stages.used_weights(task, shown[None, None], part)[0, 0]
    return Strip(shown, left - where.cols.start, seen)


def vector_strip(task: Task, window: Window, where: Rectangle) -> Strip:
    """A stage of tokens × numbers on some rows of a window."""
    values = _vectors(task, window, where.rows)[:, where.cols]
    return Strip(values, seen=((slice(0, values.shape[1]), None),))


def _vectors(task: Task, window: Window, rows: slice) -> Tensor:
    stage, batch, head = window.stage, window.batch, window.head
    if stage in ("q", "k", "v"):
        heads: Tensor = getattr(task, stage)
        return heads[batch, head, rows]
    if stage == "logsumexp":
        masked, _, where = masked_rows(task, rows, batch, head)
        return stages.logsumexp(masked, stages.sinks(task, where))[0, 0][:, None]
    if stage == "heads":
        return mixed_rows(task, rows, batch, head)
    merged = torch.cat([mixed_rows(task, rows, batch, h) for h in range(task.dims.H)], -1)
    return project_output(merged, task.weights)


def mixed_rows(task: Task, rows: slice, batch: int, head: int) -> Tensor:
    """One head's weights times v on some rows, [R, Dv]."""
    weights, first = row_weights(task, rows, batch, head)
    where = Rectangle(rows, slice(first, first + weights.shape[1]), batch, head)
    used = stages.used_weights(task, weights[None, None], where)
    v = stages.kv_heads(task.v, task.dims.H, where)[:, :, where.cols]
    return stages.mix(used, v)[0, 0]


def row_weights(task: Task, rows: slice, batch: int, head: int) -> tuple[Tensor, int]:
    """One head's weights of whole rows [R, c], from the first key that any of them can see.

    Keys outside are hidden from all these rows and weigh 0.
    """
    masked, visible, where = masked_rows(task, rows, batch, head)
    weights = stages.softmax(masked, stages.sinks(task, where))
    if task.spec.mask_order == "after_softmax":
        weights = weights * stages.allowed(task, where)
    if visible is not None:
        weights = stages.settle_empty_rows(weights, ~visible, task.spec.fully_masked)
    return weights[0, 0], where.cols.start


def masked_rows(
    task: Task, rows: slice, batch: int, head: int
) -> tuple[Tensor, Tensor | None, Rectangle]:
    """What enters the softmax on whole rows [1, 1, R, c], and their rectangle.

    Between them: which rows see a key [1, 1, R], None when all surely do. Masks are asked
    only at the borders of what is certain.
    """
    reach = reach_of(task, rows, batch)
    span = slice(reach.first, reach.last) if _may_skip(task, reach) else slice(0, task.dims.S)
    where = Rectangle(rows, span, batch, head)
    masked = stages.scores(task, where)
    if not reach.sees_something:
        visible = stages.allowed(task, where)
        return stages.masked_scores(task, masked, visible, where), visible.any(-1), where
    edges = (slice(span.start, reach.sure_first), slice(reach.sure_last, span.stop))
    for edge in edges:
        if edge.start < edge.stop:
            part = Rectangle(rows, edge, batch, head)
            here = slice(edge.start - span.start, edge.stop - span.start)
            masked[..., here] = stages.masked_scores(
                task, masked[..., here], stages.allowed(task, part), part
            )
    return masked, None, where


def reach_of(task: Task, rows: slice, batch: int) -> Reach:
    """Which keys these rows can see at all, and which they surely all see."""
    S = task.dims.S
    reaches = (
        Reach.undecided(S) if mask.reach is None else mask.reach(rows, batch) for mask in task.masks
    )
    return common(reaches, S)


def _may_skip(task: Task, reach: Reach) -> bool:
    """Whether keys that are surely hidden leave no trace in these rows."""
    plain = task.fill == float("-inf") and task.spec.mask_order == "before_softmax"
    settled = reach.sees_something or task.spec.fully_masked == "zero"
    return plain and settled and reach.first < reach.last and task.values_are_finite


def _seen(task: Task, where: Rectangle, reach: Reach) -> Seen:
    """The window's columns that masks leave visible: certain ones, and the borders asked."""
    first, last = where.cols.start, where.cols.stop
    found: list[tuple[slice, Tensor | None]] = []
    for part in reach.borders():
        start, stop = max(part.start, first), min(part.stop, last)
        if start < stop:
            cell = Rectangle(where.rows, slice(start, stop), where.batch, where.head)
            found.append((slice(start - first, stop - first), stages.allowed(task, cell)[0, 0]))
    start, stop = max(reach.sure_first, first), min(reach.sure_last, last)
    if start < stop:
        found.append((slice(start - first, stop - first), None))
    return tuple(found)


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
        span = getattr(window, name)
        if span is not None and not 0 <= span[0] < span[1] <= size:
            raise SpecificationError(
                f"{name} is a half-open range [a, b) that is not empty",
                loc=(name,),
                expected=f"0 <= a < b <= {size}",
                got=say(list(span)),
            )
    return total
