"""Each request: its id, its line in the log, its place in the metrics."""

from __future__ import annotations

import logging
import re
import time
import uuid

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.operations.logs import request_id
from app.operations.metrics import Metrics

HEADER = "x-request-id"
ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
METHODS = ("GET", "HEAD", "POST", "OPTIONS")
MOUNTED = "/static"
QUIET = ("/healthz", "/readyz", "/metrics", MOUNTED)
"""What is asked for so often that its lines would hide the others."""
OTHER = "other"
log = logging.getLogger("app.requests")


class Observed:
    """Outermost, so that refusals are seen too. An id that came along is kept if harmless."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self.app, self.metrics = app, metrics
        self._routes: frozenset[str] = frozenset()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        said = Headers(scope=scope).get(HEADER, "")
        identity = said if ID.fullmatch(said) else uuid.uuid4().hex
        token = request_id.set(identity)
        status, size, started = 0, 0, time.perf_counter()

        async def noting(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                own = (HEADER.encode(), identity.encode())
                message["headers"] = [*message.get("headers", ()), own]
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            self._note(scope, status, size, time.perf_counter() - started)
            request_id.reset(token)

    def _note(self, scope: Scope, status: int, size: int, seconds: float) -> None:
        route = self._route(scope)
        method = scope["method"] if scope["method"] in METHODS else OTHER
        self.metrics.note(route, method, status, seconds)
        if route in QUIET and status < 400:
            return
        fields = {
            "method": method,
            "route": route,
            "status": status,
            "milliseconds": round(1000 * seconds, 1),
            "bytes": size,
        }
        log.info("%s %s %s in %s ms, %s bytes", *fields.values(), extra=fields)

    def _route(self, scope: Scope) -> str:
        """As the code writes it: never a name or a number that someone sent."""
        path: str = scope["path"]
        if path.startswith(f"{MOUNTED}/"):
            return MOUNTED
        matched = getattr(scope.get("route"), "path", None)
        if isinstance(matched, str):
            return matched
        if not self._routes:
            paths = (getattr(route, "path", "") for route in scope["app"].routes)
            self._routes = frozenset(path for path in paths if path and "{" not in path)
        return path if path in self._routes else OTHER
