"""Headers that tell a browser what our pages and answers may never do."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ANYONE = "*"
EMBED = "/embed"
# Styles may stand in attributes: Plotly and KaTeX place what they draw by them. Scripts never may.
PAGE = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline';"
    " img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; object-src 'none'"
)
DATA = "default-src 'none'; base-uri 'none'; form-action 'none'; sandbox"
POWERS = (
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(),"
    " magnetometer=(), microphone=(), midi=(), payment=(), usb=()"
)
ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": POWERS,
    "cross-origin-opener-policy": "same-origin",
}


class SafeHeaders:
    """Adds them to every answer, refusals included.

    Only ``/embed`` may be framed, by ``embed_frames``; the page itself by ``page_frames``. Both
    are sources of the directive frame-ancestors, or ``*`` for anyone at all.
    """

    def __init__(self, app: ASGIApp, *, page_frames: str, embed_frames: str) -> None:
        self.app = app
        self._embed = _headers(PAGE, embed_frames, "cross-origin")
        self._page = _headers(PAGE, page_frames, "same-origin")
        self._other = _headers(PAGE, "'none'", "same-origin")
        self._data = _headers(DATA, "'none'", "same-origin")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = self._of(scope["path"])

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *headers]
            await send(message)

        await self.app(scope, receive, with_headers)

    def _of(self, path: str) -> list[tuple[bytes, bytes]]:
        if path.startswith("/api/"):
            return self._data
        return {EMBED: self._embed, "/": self._page}.get(path, self._other)


def _headers(policy: str, frames: str, resource: str) -> list[tuple[bytes, bytes]]:
    """``*`` is left unsaid: as a source it would shut out notebooks in windows of their own."""
    framed = "" if frames == ANYONE else f"; frame-ancestors {frames}"
    found = ALWAYS | {
        "content-security-policy": policy + framed,
        "cross-origin-resource-policy": resource,
    }
    if frames == "'none'":
        found["x-frame-options"] = "DENY"
    return [(name.encode(), value.encode()) for name, value in found.items()]
