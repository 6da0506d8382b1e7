"""Other sites' pages may not use a visitor's browser to send us work or files."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.problems import ProblemError, problem_response

READING = ("GET", "HEAD", "OPTIONS")


class OwnSite:
    """Refuses what a browser says another site's page sent, unless that origin is allowed.

    ``Sec-Fetch-Site`` is written by browsers alone and cannot be set by a page's scripts; scripts
    outside browsers do not send it. It needs no cookie and survives a proxy that changes the host.
    """

    def __init__(self, app: ASGIApp, *, allowed: Iterable[str]) -> None:
        self.app = app
        self._allowed = frozenset(allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in READING or self._may(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        problem = ProblemError(
            403,
            "another site's page may not send this: expected an origin of the setting"
            " ATTENTION_ALLOWED_ORIGINS",
        )
        await problem_response(problem)(scope, receive, send)

    def _may(self, headers: Headers) -> bool:
        if headers.get("sec-fetch-site") != "cross-site" or "*" in self._allowed:
            return True
        return headers.get("origin", "") in self._allowed
