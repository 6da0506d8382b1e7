"""The one forward pass. MHA, GQA, MQA and cross-attention are ways to specify it."""

from __future__ import annotations

from typing import Any

import torch

from attention import notices, stages
from attention.arrays import Array, all_finite
from attention.dimensions import Dimensions
from attention.projection import merge_heads, project_output
from attention.rectangle import Rectangle
from attention.result import Result
from attention.specification import Specification
from attention.task import Task, prepare


def attend(x: Array | None = None, **fields: Any) -> Result:
    """Compute multi-head attention and keep every stage.

    softmax(q kᵀ · scale + biases, masked) v, with the fields of `Specification` as keywords
    (Vaswani et al., 2017; GQA: Ainslie et al., 2023; MQA: Shazeer, 2019).

    Shapes: x [T][E] or [B][T][E], or q [B][H][T][D] with k, v [B][K][S][D|Dv].
    Errors: `SpecificationError` and `ShapeError`, with the field's place.
    """
    return run(Specification.of(x=x, **fields))


def run(spec: Specification, dims: Dimensions | None = None) -> Result:
    """`attend` for a ready specification; ``dims`` if it was measured before."""
    return forward(prepare(spec, dims))


def forward(task: Task) -> Result:
    """The way of the numbers from the heads to the output."""
    where = Rectangle.full(task.dims.T, task.dims.S)
    scores = stages.scores(task, where)  # [B H T S]
    allowed = stages.allowed(task, where)  # [B . T S]
    room = torch.empty_like(scores)  # for the masked scores, which the weights replace
    masked = stages.masked_scores(task, scores, allowed, where, room)  # [B H T S]
    weights = stages.attention_weights(task, masked, allowed, where, room)  # [B H T S]
    dropped = stages.dropped(task, weights, where)  # [B H T S]
    heads = stages.mix(weights if dropped is None else dropped, task.v)  # [B H T Dv]
    output = project_output(merge_heads(heads), task.weights)  # [B T E]
    result = Result(
        task=task,
        q=task.q,
        k=task.k,
        v=task.v,
        scores=scores,
        allowed=allowed,
        weights=weights,
        dropped_weights=dropped,
        heads=heads,
        output=output,
    )
    result.warnings.extend(task.reader.notices + observe(result))
    return result


def observe(result: Result) -> list[notices.Notice]:
    """What a reader should know about the numbers."""
    task, empty = result.task, result.empty_rows
    why = ""
    if task.spec.mask_order == "after_softmax":
        why = ": they were masked after the softmax"
    elif task.sinks is not None:
        why = ": the sink takes the rest"
    computed = {name: getattr(result, name) for name in ("q", "k", "v", "heads", "output")}
    weights = {} if all_finite(result.row_sums) else {"weights": result.weights}
    return [
        *notices.fully_masked_rows(empty, task.dims.H, task.spec.fully_masked),
        *notices.overflows(task.reader.notices, {**computed, "scores": result.scores}),
        *notices.non_finite_results({**computed, **weights}),
        *notices.row_sums(result.row_sums, empty, task.reader.dtype, why),
    ]
