"""Work for a client that waits; work for one that has left is given up."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Concatenate, ParamSpec, TypeAlias

import anyio
from fastapi import Request, Response

from app.pool import Pool

P = ParamSpec("P")
Alive: TypeAlias = Callable[[], None]
CLIENT_LEFT = 499  # as nginx logs it; nobody is there to read it


class LeftError(Exception):
    """The client has left; what was computed for it is of no use."""


async def answered(
    request: Request,
    pool: Pool,
    media_type: str,
    work: Callable[Concatenate[Alive, P], bytes],
    *args: P.args,
    **named: P.kwargs,
) -> Response:
    """What ``work`` answers in the pool. It calls its first argument where it can be given up."""
    gone = Event()
    answer: list[bytes] = []

    def alive() -> None:
        if gone.is_set():
            raise LeftError

    async def watch(scope: anyio.CancelScope) -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        gone.set()
        scope.cancel()  # of work that still waits for its turn

    failure: Exception | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(watch, group.cancel_scope)
        try:
            answer.append(await pool.run(work, alive, *args, **named))
        except LeftError:
            pass
        except Exception as error:
            failure = error  # a task group would wrap it
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
    if not answer:
        return Response(status_code=CLIENT_LEFT)
    return Response(answer[0], media_type=media_type)
