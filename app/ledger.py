"""Bytes in flight: what requests may take of the memory, together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Condition

POLL_SECONDS = 0.25
"""How often who waits looks whether its client is still there."""


class Ledger:
    """At most ``limit`` bytes at once; who waits is served in order. Safe in threads."""

    def __init__(self, limit: int) -> None:
        self.limit, self.taken, self.most = limit, 0, 0
        self._changed = Condition()
        self._waiting: deque[object] = deque()

    def try_take(self, size: int) -> bool:
        """Take ``size`` bytes if they are there, without waiting."""
        with self._changed:
            if self.taken + size > self.limit:
                return False
            self._add(size)
            return True

    def take(self, size: int, alive: Callable[[], None]) -> None:
        """Wait for ``size`` bytes; what ``alive`` raises ends the waiting.

        Only who holds none of them may wait, or two could wait for each other.
        """
        assert size <= self.limit, "this would wait for ever"
        me = object()
        with self._changed:
            self._waiting.append(me)
            try:
                while self._waiting[0] is not me or self.taken + size > self.limit:
                    alive()
                    self._changed.wait(POLL_SECONDS)
                self._add(size)
            finally:
                self._waiting.remove(me)
                self._changed.notify_all()

    def _add(self, size: int) -> None:
        self.taken += size
        self.most = max(self.most, self.taken)

    def give(self, size: int) -> None:
        """Give back what was taken."""
        with self._changed:
            self.taken -= size
            self._changed.notify_all()
