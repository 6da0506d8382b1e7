"""The one forward pass. MHA, GQA, MQA and cross-attention are ways to specify it."""

from __future__ import annotations

from typing import Any

import torch

from attention import memory, notices, stages
from attention.arrays import Array, all_finite
from attention.dimensions import Dimensions
from attention.projection import merge_heads, project_output
from attention.rectangle import Rectangle
from attention.result import Result
from attention.specification import Specification
from attention.strips import weigh
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
    dims = task.dims
    room = memory.empty((dims.B, dims.H, dims.T, dims.S), task.q.dtype)
    scores = stages.scores(task, Rectangle.full(dims.T, dims.S), room)  # [B H T S]
    scores_are_finite = are_small(task) or all_finite(scores)
    weighed = weigh(task, scores, scores_are_finite)  # weights [B H T S], heads [B H T Dv]
    output = project_output(merge_heads(weighed.heads), task.weights)  # [B T E]
    result = Result(
        task=task,
        q=task.q,
        k=task.k,
        v=task.v,
        scores=scores,
        weights=weighed.weights,
        dropped_weights=weighed.dropped_weights,
        heads=weighed.heads,
        output=output,
        row_sums=weighed.row_sums,
        empty_rows=weighed.empty_rows,
    )
    result.warnings.extend(task.reader.notices + observe(result, scores_are_finite))
    return result


def are_small(task: Task) -> bool:
    """Whether scores surely overflow nothing, as |q·k| ≤ D·max|q|·max|k|: no need to look."""
    if task.biases:
        return False
    q, k = (max(-least.item(), most.item()) for least, most in map(torch.aminmax, (task.q, task.k)))
    bound = task.dims.D * q * k * max(1.0, abs(task.scale))
    return bound < torch.finfo(task.q.dtype).max / 2  # NaN is not


def observe(result: Result, scores_are_finite: bool) -> list[notices.Notice]:
    """What a reader should know about the numbers."""
    task, empty = result.task, result.empty_rows
    why = ""
    if task.spec.mask_order == "after_softmax":
        why = ": they were masked after the softmax"
    elif task.sinks is not None:
        why = ": the sink takes the rest"
    odd = {
        n: getattr(result, n)
        for n in ("q", "k", "v", "heads")
        if not all_finite(getattr(result, n))
    }
    projected = task.weights is not None and task.weights.w_o is not None
    if (projected or "heads" in odd) and not all_finite(result.output):
        odd["output"] = result.output
    odd_scores = {} if scores_are_finite else {"scores": result.scores}
    odd_weights = {} if all_finite(result.row_sums) else {"weights": result.weights}
    return [
        *notices.fully_masked_rows(empty, task.dims.H, task.spec.fully_masked),
        *notices.overflows(task.reader.notices, {**odd, **odd_scores}),
        *notices.non_finite_results({**odd, **odd_weights}),
        *notices.row_sums(result.row_sums, empty, task.reader.dtype, why),
    ]
