"""The softmax as its formula stands, whose exponentials may leave the dtype."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch
from torch import Tensor

from attention import stages
from attention.projection import merge_heads, project_output
from attention.rectangle import Rectangle
from attention.result import Result
from attention.stability.event import Event, counted


def plain(result: Result) -> Result:
    """The same run with weights exp(s) / Σ exp(s), no maximum subtracted."""
    task = result.task
    exponentials, sums = parts(result)
    weights = stages.settled(task, exponentials / sums[..., None], result.allowed)
    return with_weights(result, weights)


def parts(result: Result) -> tuple[Tensor, Tensor]:
    """exp(s) [B, H, T, S] and their sums [B, H, T], sinks counted, in the run's dtype."""
    exponentials = torch.exp(result.masked_scores)
    sums = exponentials.sum(-1, dtype=exponentials.dtype)
    if result.task.sinks is not None:
        sums = sums + torch.exp(result.task.sinks)[..., 0]
    return exponentials, sums


def plain_events(result: Result, exact: Result) -> Iterator[Event]:
    """What happens in the exponentials and their sums, which a run with the maximum has not.

    float64 may overflow too, so that the scores say what should have been a number.
    """
    (exponentials, sums), (large, total) = parts(result), parts(exact)
    scores = exact.masked_scores
    lost = exponentials.isinf() & scores.isfinite()
    yield from counted("exponentials", "overflow", lost, large)
    lost = sums.isinf() & (scores < torch.inf).all(-1)
    yield from counted("exponential_sums", "overflow", lost, total)
    gone = (sums == 0) & (scores > -torch.inf).any(-1)
    yield from counted("exponential_sums", "vanished", gone, total)


def with_weights(result: Result, weights: Tensor) -> Result:
    """The run with other weights, and what follows from them."""
    task = result.task
    dropped = stages.dropped(task, weights, Rectangle.full(task.dims.T, task.dims.S))
    heads = stages.mix(weights if dropped is None else dropped, task.v)
    output = project_output(merge_heads(heads), task.weights)
    return replace(
        result,
        weights=weights,
        dropped_weights=dropped,
        heads=heads,
        output=output,
        warnings=[],
    )
