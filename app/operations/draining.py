"""Stopping: not ready at once, new requests for a while yet, then an end for what still runs."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from app.places import Places
from app.settings import Settings

SIGNALS = (signal.SIGTERM, signal.SIGINT)
log = logging.getLogger("app")


class Draining:
    """Stands before the server's own handlers of signals, which close it.

    A first SIGTERM makes ``/readyz`` fail; for ``drain_seconds`` requests are still taken, until
    nobody sends any more. Then the server closes, and what has not ended ``stop_seconds`` later is
    answered with 503. An interrupt from the keyboard, or a second signal, closes at once.
    """

    def __init__(self, places: Places, settings: Settings) -> None:
        self._places = places
        self._drain, self._stop = settings.drain_seconds, settings.stop_seconds

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Watch for signals while the server runs; in the main thread, which alone may."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        loop = asyncio.get_running_loop()
        before = {sign: signal.getsignal(sign) for sign in SIGNALS}
        for sign, handler in before.items():
            if callable(handler):
                signal.signal(sign, self._handler(loop, handler))
        try:
            yield
        finally:
            for sign, handler in before.items():
                signal.signal(sign, handler)

    def _handler(
        self, loop: asyncio.AbstractEventLoop, close: Callable[[int, FrameType | None], Any]
    ) -> Callable[[int, FrameType | None], None]:
        def handle(sign: int, frame: FrameType | None) -> None:
            again, self._places.draining = self._places.draining, True
            wait = 0.0 if again or sign == signal.SIGINT else self._drain
            if wait:
                loop.call_soon_threadsafe(loop.call_later, wait, close, sign, None)
            else:
                close(sign, frame)
            loop.call_soon_threadsafe(loop.call_later, wait + self._stop, self._places.stop)

        return handle
