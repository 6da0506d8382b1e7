"""Only hosts that we answer to: a foreign name that was pointed at this machine is refused."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.problems import ProblemError, problem_response
from attention import say

PROBES = ("/healthz", "/readyz")
"""What orchestrators ask by address, and which tells nothing."""


class KnownHosts:
    """Refuses a ``Host`` header of any other name; ``*.example.org`` stands for all below it."""

    def __init__(self, app: ASGIApp, *, allowed: Iterable[str]) -> None:
        self.app = app
        self._allowed = tuple(name.lower() for name in allowed)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host", "") if scope["type"] == "http" else ""
        if scope["type"] != "http" or scope["path"] in PROBES or self._knows(name_of(host)):
            await self.app(scope, receive, send)
            return
        problem = ProblemError(
            421,
            "this server does not answer to that host: expected one of the setting"
            f" ATTENTION_ALLOWED_HOSTS, got {say(host)}",
        )
        await problem_response(problem)(scope, receive, send)

    def _knows(self, name: str) -> bool:
        return any(
            name == known or (known.startswith("*.") and name.endswith(known[1:]))
            for known in self._allowed
        )


def name_of(host: str) -> str:
    """A ``Host`` header without its port; an IPv6 address keeps its brackets."""
    address, bracket, _ = host.lower().partition("]")
    return address + bracket if bracket else address.split(":")[0]
