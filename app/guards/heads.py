"""Request heads are bounded: names and values of headers, the path and the query together."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from app.problems import ProblemError, problem_response

MOST = 2**16
"""Bytes of one head, with 32 for each header as HTTP/2 counts them."""
EACH = 32


class ShortHeads:
    """Refuses a longer head. The server's own bound is for heads that arrive in several reads."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or (size := size_of(scope)) <= MOST:
            await self.app(scope, receive, send)
            return
        problem = ProblemError(
            431, f"the head of the request is too long: expected at most {MOST} bytes, got {size}"
        )
        await problem_response(problem)(scope, receive, send)


def size_of(scope: Scope) -> int:
    """Bytes of a request's head, as we count them."""
    headers = sum(len(name) + len(value) + EACH for name, value in scope["headers"])
    return headers + len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"])
