"""One secret for a shared instance: as a bearer token, or as the password a browser asks for."""

from __future__ import annotations

import base64
import binascii
import hmac

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.guards.hosts import PROBES
from app.problems import ProblemError, problem_response

ASKS = 'Basic realm="Attention visualiser", charset="UTF-8"'


class Secret:
    """Refuses all but health without ``Authorization: Bearer TOKEN``, or Basic with it as password.

    Any user name goes with it. The comparison takes the same time wherever the first difference is.
    """

    def __init__(self, app: ASGIApp, *, token: str) -> None:
        self.app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in PROBES or self._knows(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        problem = ProblemError(
            401,
            "this server asks for its token: expected Authorization: Bearer TOKEN, or the token as"
            " the password of any user",
        )
        await problem_response(problem, {"www-authenticate": ASKS})(scope, receive, send)

    def _knows(self, headers: Headers) -> bool:
        given = given_secret(headers.get("authorization", ""))
        return given is not None and hmac.compare_digest(given, self._token)


def given_secret(header: str) -> bytes | None:
    """The secret in an ``Authorization`` header; None where there is none to be read."""
    scheme, _, value = header.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip().encode("latin-1")  # as the header's bytes were read
    if scheme.lower() != "basic":
        return None
    try:
        _, colon, password = base64.b64decode(value.strip(), validate=True).partition(b":")
    except (binascii.Error, ValueError):
        return None
    return password if colon else None
