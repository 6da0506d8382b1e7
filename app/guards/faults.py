"""Faults of ours: logged, and answered as a problem like everything else."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.problems import ProblemError, problem_response

log = logging.getLogger("app")


class Faults:
    """Answers 500 where something raised, within the other guards, so that it has their headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, noting)
        except Exception as error:
            log.exception("unexpected error", exc_info=error)
            if begun:
                raise  # the connection ends before the answer does, and so the client sees it
            problem = ProblemError(500, "an error of ours; it has been logged")
            await problem_response(problem)(scope, receive, send)
