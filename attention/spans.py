"""Which keys some rows need at all: beyond them everything is hidden, and nothing is computed."""

from __future__ import annotations

from attention.masks.reach import Reach, common, united
from attention.task import Task


def reach_of(task: Task, rows: slice, batch: int | None = None) -> Reach:
    """Which keys some queries can see at all, and which they surely all see.

    Of one batch item, or of all of them together.
    """
    S = task.dims.S
    items = range(task.dims.B) if batch is None else (batch,)
    return united(
        common(
            (
                Reach.undecided(S) if mask.reach is None else mask.reach(rows, item)
                for mask in task.masks
            ),
            S,
        )
        for item in items
    )


def span_of(task: Task, reach: Reach) -> tuple[int, int]:
    """The keys that can leave a trace in these rows."""
    plain = task.fill == float("-inf") and task.spec.mask_order == "before_softmax"
    settled = reach.sees_something or task.spec.fully_masked == "zero"
    if plain and settled and reach.first < reach.last and task.values_are_finite:
        return reach.first, reach.last
    return 0, task.dims.S
