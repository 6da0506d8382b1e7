"""One window of one stage of one head, pooled to a picture's size; exact at any length.

Rows are computed strip by strip over every key they can see, so the softmax is the full one
while memory grows with the strip. Keys that masks hide from a whole strip are not computed.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import linear

from attention import stages
from attention.arrays import say
from attention.errors import SpecificationError
from attention.pooling import Cells, Pool
from attention.projection import merge_heads
from attention.rectangle import Rectangle
from attention.steps import CELLS, STAGES
from attention.task import Task

STRIP_CELLS = 2**22
MASKABLE = ("scores",)


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
    pool = Pool(rows, cols, window.reduce, window.stage in MASKABLE)
    in_cells = STAGES[window.stage] == CELLS
    for start, stop in rows.strips(max(1, STRIP_CELLS // task.dims.S)):
        where = Rectangle(
            slice(start, stop), slice(cols.start, cols.stop), window.batch, window.head
        )
        if in_cells:
            pool.add(start, *cell_strip(task, window.stage, where))
        else:
            values = vector_strip(task, window.stage, where)
            pool.add(start, values[:, where.cols], None)
    z, masked = pool.result()
    wide = torch.promote_types(task.reader.dtype, torch.float32)
    return View(z.to(wide), masked.to(wide), rows, cols, *total)


def cell_strip(task: Task, stage: str, where: Rectangle) -> tuple[Tensor, Tensor | None]:
    """A stage of queries × keys on one head's rectangle [r, c], and what masks leave visible."""
    visible = stages.allowed(task, where)
    seen = visible[0, 0] if task.masks else None
    if stage == "allowed":
        return visible[0, 0].to(task.reader.dtype), seen
    if stage in ("scores", "masked_scores"):
        found = stages.scores(task, where)
        if stage == "masked_scores":
            found = stages.masked_scores(task, found, visible, where)
        return found[0, 0], seen
    row = Rectangle(where.rows, slice(0, task.dims.S), where.batch, where.head)
    weights = row_weights(task, row)
    if stage == "dropped_weights":
        weights = stages.used_weights(task, weights, row)
    return weights[0, 0][:, where.cols], seen


def row_weights(task: Task, row: Rectangle) -> Tensor:
    """Weights of whole rows, [b, h, R, S]."""
    visible = stages.allowed(task, row)
    masked = stages.masked_scores(task, stages.scores(task, row), visible, row)
    return stages.attention_weights(task, masked, visible, row)


def vector_strip(task: Task, stage: str, where: Rectangle) -> Tensor:
    """A stage of tokens × numbers on some rows, [r, width]."""
    batch, head = where.batch or 0, where.head or 0
    if stage in ("q", "k", "v"):
        heads: Tensor = getattr(task, stage)
        return heads[batch, head, where.rows]
    everyone = None if stage == "output" else where.head
    row = Rectangle(where.rows, slice(0, task.dims.S), where.batch, everyone)
    if stage == "logsumexp":
        visible = stages.allowed(task, row)
        masked = stages.masked_scores(task, stages.scores(task, row), visible, row)
        return stages.logsumexp(masked, stages.sinks(task, row))[0, 0][:, None]
    weights = stages.used_weights(task, row_weights(task, row), row)
    mixed = stages.mix(weights, stages.kv_heads(task.v, task.dims.H, row))  # [1 h R Dv]
    if stage == "heads":
        return mixed[0, 0]
    merged = merge_heads(mixed)[0]
    if task.weights is None or task.weights.w_o is None:
        return merged
    return linear(merged, task.weights.w_o, task.weights.b_o)


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
    if stage not in STAGES or (stage == "dropped_weights" and task.spec.dropout is None):
        raise SpecificationError(
            "stage is a tensor of the answer",
            loc=("stage",),
            expected=", ".join(STAGES) + " (dropped_weights with dropout)",
            got=say(stage),
        )
    heads = dims.K if stage in ("k", "v") else dims.H
    for name, index, count in (("batch", window.batch, dims.B), ("head", window.head, heads)):
        if not 0 <= index < count:
            raise SpecificationError(
                f"{name} counts from 0", loc=(name,), expected=f"0 to {count - 1}", got=index
            )
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
