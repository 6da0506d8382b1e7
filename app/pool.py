"""Where computing happens: threads of their own, bounded, never the event loop."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from anyio import CapacityLimiter, to_thread

P = ParamSpec("P")
T = TypeVar("T")


class Pool:
    """At most ``workers`` computations at once; the others wait their turn."""

    def __init__(self, workers: int) -> None:
        self._limiter = CapacityLimiter(workers)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work`` in a thread and answer what it returns."""
        return await to_thread.run_sync(partial(work, *args, **kwargs), limiter=self._limiter)
