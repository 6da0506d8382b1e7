"""HTTP/1.1 that does not wait for ever: a client that sends slowly on purpose is cut off.

uvicorn's own time limit is for silence between two requests, and any byte ends it.
"""

from __future__ import annotations

import asyncio
import json
import socket
from ipaddress import ip_address
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD, BODY = "head", "body"
PARTS = {h11.IDLE: HEAD, h11.SEND_BODY: BODY}


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def send_at_once(connection: socket.socket) -> None:
    """Let no answer's end wait until its beginning is acknowledged, 40 ms later.

    asyncio does so itself, but not for sockets that were made without naming their protocol, as
    uvicorn makes those that several processes share.
    """
    if connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class Connection(H11Protocol):
    """A request's head has ``head_seconds`` to arrive in whole, its body ``body_seconds``.

    The head's time begins with the connection or with the end of the answer before it. Waiting
    that is our own, with reading paused, is not held against the client.
    """

    def __init__(self, *args: Any, head_seconds: float, body_seconds: float, **named: Any) -> None:
        super().__init__(*args, **named)
        self._seconds = {HEAD: head_seconds, BODY: body_seconds}
        self._awaited: str | None = None
        self._limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        send_at_once(transport.get_extra_info("socket"))
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._awaited = None  # the next head has its time anew
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop()

    def _watch(self) -> None:
        """Set the time for the part that is awaited now, if it is another one than before."""
        part = None if self.transport.is_closing() else PARTS.get(self.conn.their_state)
        if part == self._awaited:
            return
        self._stop()
        self._awaited = part
        if part is not None:
            self._limit = self.loop.call_later(self._seconds[part], self._late, part)

    def _stop(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None

    def _late(self, part: str) -> None:
        if self.transport.is_closing():
            return
        if part == BODY and self.flow.read_paused:
            self._limit = self.loop.call_later(self._seconds[part], self._late, part)
            return
        if part == HEAD or not self.cycle.response_started:
            self.transport.write(too_slow(part, self._seconds[part]))
        self.transport.close()


def too_slow(part: str, seconds: float) -> bytes:
    """408 as a problem body; the application never hears of a head that did not arrive."""
    setting = f"ATTENTION_{part.upper()}_SECONDS"
    detail = (
        f"the request's {part} came too slowly: expected all of it within {seconds:g} seconds"
        f" (raised by the setting {setting})"
    )
    body = json.dumps(
        {
            "type": "about:blank",
            "title": "Request Timeout",
            "status": 408,
            "detail": detail,
            "errors": [],
        }
    ).encode()
    head = (
        "HTTP/1.1 408 Request Timeout\r\ncontent-type: application/problem+json\r\n"
        f"x-content-type-options: nosniff\r\ncontent-length: {len(body)}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode() + body
