"""The specification in the form that mistakes are made from."""

from __future__ import annotations

from dataclasses import fields, replace

from attention.projection import GivenProjection, Weights
from attention.specification import Specification
from attention.task import Task, project


def written_out(task: Task) -> Specification:
    """The same run with its weights given, and heads with all their axes.

    Random weights are drawn once, and a mistake can change any of them.
    """
    spec = task.spec
    if task.weights is not None:
        return replace(spec, projection=given(task.weights))
    q, k, v = project(spec, None, task.dims, task.reader)
    return replace(spec, q=q, k=k, v=v)


def given(weights: Weights) -> GivenProjection:
    """Weights as a projection of the specification."""
    return GivenProjection(**{f.name: getattr(weights, f.name) for f in fields(weights)})
