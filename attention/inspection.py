"""One cell (query i, key j) of one head as arithmetic: every number on the way to its weight."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attention import stages
from attention.arrays import expect_index, expect_span
from attention.rectangle import Rectangle
from attention.task import Task


@dataclass(frozen=True)
class MaskAtCell:
    """What one mask says of the cell; ``added`` is None unless the mask adds numbers."""

    index: int
    kind: str
    description: str
    visible: bool
    added: float | None


@dataclass(frozen=True)
class Inspection:
    """The numbers of one cell and of its row, as the forward pass computes them.

    q, k, products [D]; masked_scores, exponentials, weights [keys]; contributions [keys, Dv] are
    weights·v (after dropout, if any) and total [Dv] their sum over all keys, as the forward pass
    has it. ``keys`` is the half-open range of those that are told; all are counted.
    ``exponentials`` are exp(masked_scores − maximum), ``denominator`` their sum and, with a
    sink, exp(sink − maximum).
    """

    keys: tuple[int, int]
    q: Tensor
    k: Tensor
    products: Tensor
    dot_product: float
    scale: float
    scaled: float
    capped: float | None
    biases: list[float]
    score: float
    masks: list[MaskAtCell]
    fill: float
    masked_score: float
    masked_scores: Tensor
    maximum: float
    sink: float | None
    exponentials: Tensor
    denominator: float
    logsumexp: float
    weight: float
    weights: Tensor
    dropped_weights: Tensor | None
    contributions: Tensor
    total: Tensor


def inspect(
    task: Task,
    *,
    batch: int,
    head: int,
    query: int,
    key: int,
    keys: tuple[int, int] | None = None,
) -> Inspection:
    """Follow one cell through the stages, on the rectangle that is its row.

    ``keys`` says of which of the row's keys the numbers are told: half-open, None is all.
    Errors: `SpecificationError` for a place that is not there.
    """
    dims = task.dims
    for name, index, count in (
        ("batch", batch, dims.B), ("head", head, dims.H), ("query", query, dims.T),
        ("key", key, dims.S),
    ):  # fmt: skip
        expect_index(name, index, count)
    expect_span("keys", keys, dims.S)
    first, last = keys or (0, dims.S)
    told = slice(first, last)
    row = Rectangle(slice(query, query + 1), slice(0, dims.S), batch, head)
    cell = Rectangle(row.rows, slice(key, key + 1), batch, head)
    v = stages.kv_heads(task.v, dims.H, row)  # [1 1 S Dv]
    q, k = task.q[batch, head, query], task.k[batch, head // dims.G, key]
    dots = stages.dot_products(task.q, task.k, row)  # [1 1 1 S], as all below
    scaled = dots * task.scale
    softcap = task.spec.softcap
    scores = stages.scores(task, row)
    visible = stages.allowed(task, row)
    masked = stages.masked_scores(task, scores, visible, row)
    weights = stages.attention_weights(task, masked, visible, row)
    dropped = stages.dropped(task, weights, row)
    used = weights if dropped is None else dropped
    sink = None if task.sinks is None else row.of(task.sinks).item()
    maximum = max(masked.max().item(), float("-inf") if sink is None else sink)
    shift = maximum if maximum != float("-inf") else 0.0
    exponentials = torch.exp(masked - shift).flatten()
    denominator = exponentials.sum().item() + (
        0.0 if sink is None else torch.exp(torch.tensor(sink - shift)).item()
    )
    scaled_here = scaled.flatten()[key]
    return Inspection(
        keys=(first, last),
        q=q, k=k, products=q * k,
        dot_product=dots.flatten()[key].item(),
        scale=task.scale,
        scaled=scaled_here.item(),
        capped=None if softcap is None else stages.softcapped(scaled_here, softcap).item(),
        biases=[bias(cell).item() for bias in task.biases],
        score=scores.flatten()[key].item(),
        masks=_masks(task, cell),
        fill=task.fill,
        masked_score=masked.flatten()[key].item(),
        masked_scores=masked.flatten()[told],
        maximum=maximum,
        sink=sink,
        exponentials=exponentials[told],
        denominator=denominator,
        logsumexp=stages.logsumexp(masked, stages.sinks(task, row)).item(),
        weight=weights.flatten()[key].item(),
        weights=weights.flatten()[told],
        dropped_weights=None if dropped is None else dropped.flatten()[told],
        contributions=used.flatten()[told, None] * v[0, 0, told],
        total=stages.mix(used, v).flatten(),
    )  # fmt: skip


def _masks(task: Task, cell: Rectangle) -> list[MaskAtCell]:
    found = []
    for i, (mask, bound) in enumerate(zip(task.spec.masks, task.masks, strict=True)):
        added = None if bound.added is None else bound.added(cell).item()
        visible = bool(bound.visible(cell).item())
        found.append(MaskAtCell(i, mask.kind, bound.description, visible, added))
    return found
