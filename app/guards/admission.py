"""The way in: a place for each request of the API, or a refusal at once."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.places import Place, Places, under_way
from app.problems import ProblemError, problem_response

API = "/api/"
PIECE = 2**18
"""Bytes of an answer that are handed over at once: no more of it waits in the connection."""


class Admission:
    """Decided on the event loop before a body is read, so that a refusal waits for nothing."""

    def __init__(self, app: ASGIApp, *, places: Places) -> None:
        self.app, self.places = app, places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(API):
            await self.app(scope, receive, send)
            return
        client = scope.get("client") or ("", 0)
        try:
            place = self.places.enter(client[0], scope["path"])
        except ProblemError as problem:
            await problem_response(problem)(scope, receive, send)
            return
        with under_way(place):
            await self.app(scope, receive, in_pieces(send, self.places.settings.send_seconds))


def in_pieces(send: Send, seconds: float) -> Send:
    """Hand answers over piece by piece, each as the client takes the one before in ``seconds``."""

    async def sending(message: Message) -> None:
        body = message.get("body", b"")
        if message["type"] != "http.response.body" or len(body) <= PIECE:
            await within(seconds, send, message)
            return
        view, more = memoryview(body), message.get("more_body", False)
        for start in range(0, len(view), PIECE):
            piece = bytes(view[start : start + PIECE])
            last = start + PIECE >= len(view)
            part: Message = {**message, "body": piece, "more_body": more or not last}
            await within(seconds, send, part)
            await asyncio.sleep(0)  # a client that takes them at once is not the only one

    return sending


async def within(seconds: float, send: Send, message: Message) -> None:
    """Give up a client that takes nothing for so long: its connection ends with half an answer."""
    async with asyncio.timeout(seconds):
        await send(message)


def weight(chunk: bytes) -> int:
    """Bytes that a part of a body becomes at most, once it is read as JSON.

    A value begins after a comma, a colon or a bracket: a number takes 32 bytes with its place in
    the list, a short text up to 60, an empty list or object up to 72.
    """
    values = chunk.count(b",") + chunk.count(b":")
    return len(chunk) + 60 * values + 72 * (chunk.count(b"[") + chunk.count(b"{"))


def count_body(place: Place | None, chunk: bytes) -> None:
    """Count what has come of a body."""
    if place is not None:
        place.read(weight(chunk))
