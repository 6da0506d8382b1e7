"""Where computing happens: threads of their own, bounded, never the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import ParamSpec, TypeVar

from app.places import Place, current

P = ParamSpec("P")
T = TypeVar("T")


class Pool:
    """At most ``workers`` computations at once; the others wait their turn, in order.

    A turn ends for its request at the deadline or when its client leaves. One that has not begun
    is then never begun; one that has ends at its next look at `Place.alive`, and its thread is not
    anyone else's before that.
    """

    def __init__(self, workers: int) -> None:
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="compute")

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work`` in a thread and answer what it returns."""
        place = current()
        call = partial(copy_context().run, partial(work, *args, **kwargs))
        if place is None:
            return await asyncio.wrap_future(self._executor.submit(call))
        places = place.places
        places.await_turn()
        future = self._executor.submit(_turn, place, call)
        future.add_done_callback(lambda done: places.miss_turn() if done.cancelled() else None)
        async with place.in_time():
            return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Begin no turn any more; those that have begun end."""
        self._executor.shutdown(wait=False, cancel_futures=True)


def _turn(place: Place, call: Callable[[], T]) -> T:
    place.begin_turn()
    begun = place.places.begin_turn()
    try:
        place.alive()
        return call()
    finally:
        place.places.end_turn(begun)
        place.end_turn()
