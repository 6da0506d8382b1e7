"""From the scores of all heads to what their rows weigh and mix.

Where masks hide the same keys from many rows, such as the later ones of a causal mask, rows are
worked on in strips, each against the keys that it sees; the weights of the others are 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attention import memory, stages
from attention.arrays import all_finite, widened
from attention.masks.reach import Reach
from attention.rectangle import Rectangle
from attention.spans import reach_of, span_of
from attention.task import Task

STRIPS = 12
LEAST_CELLS = 2**20
"""Of weights in all: fewer are worked on at once."""
WORTH = 0.9
"""Strips are worth while if they visit no more than this share of the cells."""


@dataclass
class Weighed:
    """Some rows of all heads: weights and dropped_weights [B, H, R, C], heads [B, H, R, Dv].

    ``row_sums`` [B, H, R] of the weights, at float32 or wider; ``empty_rows`` [B, 1 or H, R]
    see no key.
    """

    weights: Tensor
    dropped_weights: Tensor | None
    heads: Tensor
    row_sums: Tensor
    empty_rows: Tensor


def weigh(task: Task, scores: Tensor, scores_are_finite: bool) -> Weighed:
    """All rows [B, H, T, S] of scores before masking."""
    if scores.numel() >= LEAST_CELLS and _can_be_cut(task, scores_are_finite):
        strips = _strips(task)
        visited = sum(where.shape[0] * where.shape[1] for where, _ in strips)
        if visited <= WORTH * task.dims.T * task.dims.S:
            return _in_strips(task, scores, strips)
    return _whole(task, scores)


def _whole(task: Task, scores: Tensor) -> Weighed:
    where = Rectangle.full(task.dims.T, task.dims.S)
    allowed = stages.allowed(task, where)  # [B . T S]
    room = memory.empty(scores.shape, scores.dtype)  # masked scores, which the weights replace
    masked = stages.masked_scores(task, scores, allowed, where, room)  # [B H T S]
    empty = stages.blind_rows(allowed)  # [B . T]
    weights = stages.attention_weights(task, masked, allowed, where, room, empty)  # [B H T S]
    dropped = stages.dropped(task, weights, where)  # [B H T S]
    heads = stages.mix(weights if dropped is None else dropped, task.v)  # [B H T Dv]
    return Weighed(weights, dropped, heads, _row_sums(weights), empty)


def _in_strips(task: Task, scores: Tensor, strips: list[tuple[Rectangle, Reach]]) -> Weighed:
    weights = memory.empty(scores.shape, scores.dtype)
    room = scores.new_empty(max(where.take(scores).numel() for where, _ in strips))
    parts = []
    for where, reach in strips:
        here = where.take(scores)  # [B H R C]
        masked = room[: here.numel()].view(here.shape).copy_(here)
        empty = _mask(task, masked, where, reach)  # [B . R]
        seen = stages.softmax(masked, stages.sinks(task, where), masked)  # [B H R C]
        stages.settle_empty_rows(seen, empty, task.spec.fully_masked)
        heads = stages.mix(seen, task.v[:, :, where.cols])  # [B H R Dv]
        parts.append((heads, _row_sums(seen), empty))
        where.take(weights).copy_(seen)
        weights[:, :, where.rows, : where.cols.start] = 0
        weights[:, :, where.rows, where.cols.stop :] = 0
    heads, sums, empty = (torch.cat(those, 2) for those in zip(*parts, strict=True))
    return Weighed(weights, None, heads, sums, empty)


def _mask(task: Task, scores: Tensor, where: Rectangle, reach: Reach) -> Tensor:
    """Mask a strip in place, where it is not sure that all is visible; the rows that see no key."""
    empty = torch.full((task.dims.B, 1, where.shape[0]), not reach.sees_something)
    for cols in reach.unsure(where.cols):
        part = Rectangle(where.rows, cols)
        visible = stages.allowed(task, part)  # [B . R c]
        inside = slice(cols.start - where.cols.start, cols.stop - where.cols.start)
        stages.mask_in_place(task, scores[..., inside], visible, part)
        if not reach.sees_something:
            empty = stages.blind_rows(visible)
    return empty


def _can_be_cut(task: Task, scores_are_finite: bool) -> bool:
    """Whether keys beyond a strip's leave no trace: a row that is NaN would be so at every key."""
    return (
        scores_are_finite
        and task.spec.dropout is None
        and all(mask.added is None for mask in task.masks)
        and (task.sinks is None or all_finite(task.sinks))
    )


def _strips(task: Task) -> list[tuple[Rectangle, Reach]]:
    T = task.dims.T
    step = -(-T // STRIPS)
    rows = [slice(at, min(at + step, T)) for at in range(0, T, step)]
    reaches = [reach_of(task, r) for r in rows]
    return [
        (Rectangle(r, slice(*span_of(task, reach))), reach)
        for r, reach in zip(rows, reaches, strict=True)
    ]


def _row_sums(weights: Tensor) -> Tensor:
    return weights.sum(-1, dtype=widened(weights.dtype))
