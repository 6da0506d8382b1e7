"""Work for a client that waits; work for one that has left is given up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeAlias, TypeVar

from fastapi import Request, Response

from app.places import LeftError, current
from app.pool import Pool

P = ParamSpec("P")
T = TypeVar("T")
Alive: TypeAlias = Callable[[], None]


class ClientPool:
    """The pool, for one request whose body has been read: a turn ends when its client leaves.

    ``whole`` is the pool itself, for who still reads the body, or streams the answer and so sees
    by that when the client leaves.
    """

    def __init__(self, pool: Pool, request: Request) -> None:
        self.whole, self._request = pool, request

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work`` in a thread; `LeftError` when nobody waits for its answer any more."""
        turn = asyncio.ensure_future(self.whole.run(work, *args, **kwargs))
        left = asyncio.ensure_future(self._left())
        try:
            await asyncio.wait((turn, left), return_when=asyncio.FIRST_COMPLETED)
            if turn.done():
                return turn.result()
            place = current()
            if place is not None:
                place.gone.set()
            raise LeftError
        finally:
            turn.cancel()
            left.cancel()

    async def _left(self) -> None:
        while (await self._request.receive())["type"] != "http.disconnect":
            pass


async def answered(
    pool: ClientPool,
    media_type: str,
    work: Callable[Concatenate[Alive, P], bytes],
    *args: P.args,
    **named: P.kwargs,
) -> Response:
    """What ``work`` answers in the pool. It calls its first argument where it can be given up."""
    return Response(await pool.run(work, alive, *args, **named), media_type=media_type)


def alive() -> None:
    """Raise where the request under way is not to be answered any more."""
    place = current()
    if place is not None:
        place.alive()
