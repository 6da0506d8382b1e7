"""The places of requests: how many are inside, what each holds, and until when it may run."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from math import ceil
from threading import Event, Lock

import torch

from app.ledger import Ledger
from app.problems import ProblemError
from app.settings import Settings
from attention import LimitError

ALL_THREADS = torch.get_num_threads()
READING_SHARE = 4
"""Of the memory a quarter is for bodies that are read, the rest for what is computed of them."""
LONGEST_RETRY = 30


class LeftError(Exception):
    """The client has left; what was computed for it is of no use."""


class Places:
    """What the requests of one process share. Entered on the event loop alone."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.most = settings.workers + settings.queue_length
        self.inside, self.waiting, self.running = 0, 0, 0
        self.draining = self.stopping = False
        self.reading = Ledger(settings.memory_bytes // READING_SHARE)
        self.computing = Ledger(settings.memory_bytes - self.reading.limit)
        self._all: set[Place] = set()
        self._of_client: Counter[str] = Counter()
        self._threads = settings.threads or ALL_THREADS
        self._seconds = 0.0
        self._lock = Lock()

    def enter(self, client: str, path: str = "") -> Place:
        """A place for one request; 503 where all are taken, 429 where this client has its share."""
        if self.inside >= self.most:
            raise busy(
                f"all places are taken: {self.settings.workers} requests are computed at once and"
                f" {self.settings.queue_length} wait (the setting ATTENTION_QUEUE_LENGTH)",
                self.retry_after(),
            )
        share = self.settings.client_requests
        if share and self._of_client[client] >= share:
            raise busy(
                f"this address has {share} requests under way, as many as one may"
                " (the setting ATTENTION_CLIENT_REQUESTS)",
                self.retry_after(),
                status=429,
            )
        self.inside += 1
        self._of_client[client] += 1
        place = Place(self, client, path)
        self._all.add(place)
        return place

    def leave(self, place: Place) -> None:
        """The request of a place has been answered."""
        self.inside -= 1
        self._all.discard(place)
        self._of_client[place.client] -= 1
        if not self._of_client[place.client]:
            del self._of_client[place.client]

    def stop(self) -> None:
        """The time of everyone is over."""
        self.stopping = True
        for place in self._all:
            place.stop()

    def retry_after(self) -> int:
        """Seconds until who waits now will have had a turn, as far as the last turns tell."""
        seconds = self.inside * self._seconds / self.settings.workers
        return min(LONGEST_RETRY, max(1, ceil(seconds)))

    def await_turn(self) -> None:
        """A computation waits for a thread."""
        with self._lock:
            self.waiting += 1

    def miss_turn(self) -> None:
        """It waits no longer, and will not begin."""
        with self._lock:
            self.waiting -= 1

    def begin_turn(self) -> float:
        """A thread begins to work."""
        with self._lock:
            self.waiting -= 1
            self.running += 1
        return time.monotonic()

    def end_turn(self, begun: float) -> None:
        """It has ended; how long turns take tells who is refused when to come again."""
        with self._lock:
            self.running -= 1
            self._seconds += 0.1 * (time.monotonic() - begun - self._seconds)

    def threads(self) -> int:
        """The threads of one computation: those at work share the cores, and fight over none."""
        return max(1, self._threads // max(1, self.running))


class Place:
    """One request under way."""

    def __init__(self, places: Places, client: str, path: str) -> None:
        self.places, self.client, self.path = places, client, path
        self.gone = Event()
        self._end = time.monotonic() + places.settings.deadline_seconds
        self._read, self._held = 0, Counter[str]()
        self._turns, self._left = 0, False
        self._limit: asyncio.Timeout | None = None
        self._lock = Lock()

    @property
    def seconds_left(self) -> float:
        """Until the deadline."""
        return self._end - time.monotonic()

    def alive(self) -> None:
        """Give up work whose client has left or whose time is over; else share the cores anew."""
        if self.gone.is_set():
            raise LeftError
        if self.seconds_left < 0:
            raise self.late()
        if torch.get_num_threads() > 1:
            torch.set_num_threads(self.places.threads())

    @asynccontextmanager
    async def in_time(self) -> AsyncIterator[None]:
        """The refusal `late`, where what is awaited within takes longer than is left."""
        try:
            async with asyncio.timeout(max(0.0, self.seconds_left)) as self._limit:
                yield
        except TimeoutError:
            raise self.late() from None
        finally:
            self._limit = None  # it knows the task, whose answer would be kept with this place

    def stop(self) -> None:
        """Its time is over, whatever was left of it."""
        self._end = time.monotonic()
        if self._limit is not None and not self._limit.expired():
            with suppress(RuntimeError):  # it has just been left
                self._limit.reschedule(asyncio.get_running_loop().time())

    def late(self) -> ProblemError:
        """The refusal of what took too long, or cannot go on."""
        if self.places.stopping:
            return busy("the server is stopping", self.places.retry_after())
        seconds = self.places.settings.deadline_seconds
        return busy(
            f"this took longer than the {seconds} seconds of the setting"
            " ATTENTION_DEADLINE_SECONDS, waiting included",
            self.places.retry_after(),
        )

    def read(self, size: int) -> None:
        """Count bytes of a body and of what it becomes, before more of it is taken in."""
        reading = self.places.reading
        if self._read + size > reading.limit:
            raise from_memory("bytes of the body once it is read", reading, self._read + size)
        if not reading.try_take(size):
            raise busy("the memory for bodies is full", self.places.retry_after())
        self._read += size

    def hold(self, what: str, size: int) -> None:
        """Count bytes of the computation, before they are allocated; the first may have to wait."""
        computing, more = self.places.computing, size - self._held[what]
        if more <= 0:
            return
        held = self._held.total()
        if held + more > computing.limit:
            raise from_memory("bytes of the computation", computing, held + more)
        if not held:
            computing.take(more, self.alive)
        elif not computing.try_take(more):
            raise busy("the memory for computing is full", self.places.retry_after())
        self._held[what] += more

    def begin_turn(self) -> None:
        """A thread works for this place: what it holds stays taken until the thread has ended."""
        with self._lock:
            self._turns += 1

    def end_turn(self) -> None:
        """The thread has ended."""
        with self._lock:
            self._turns -= 1
            self._give_back()

    def leave(self) -> None:
        """The request has been answered, or its client has gone."""
        self.places.leave(self)
        self.gone.set()
        with self._lock:
            self._left = True
            self._give_back()

    def _give_back(self) -> None:
        if not self._left or self._turns:
            return
        self.places.reading.give(self._read)
        self.places.computing.give(self._held.total())
        self._read, self._held = 0, Counter()


_current: ContextVar[Place | None] = ContextVar("place", default=None)


def current() -> Place | None:
    """The place of the request that is being answered; None outside of one."""
    return _current.get()


@contextmanager
def under_way(place: Place) -> Iterator[None]:
    """Make ``place`` that of everything within, threads included; give it back in the end."""
    token = _current.set(place)
    try:
        yield
    finally:
        _current.reset(token)
        place.leave()


def hold(what: str, size: int) -> None:
    """Count bytes of the computation under way; outside of a request nobody counts."""
    place = current()
    if place is not None:
        place.hold(what, size)


def path_of_request() -> str:
    """Which route is asked; nothing outside of a request."""
    place = current()
    return "" if place is None else place.path


def threads() -> int:
    """How many threads the computation under way may use."""
    place = current()
    return ALL_THREADS if place is None else place.places.threads()


def busy(detail: str, retry_after: int, status: int = 503) -> ProblemError:
    """A refusal that says when to come again."""
    return ProblemError(status, detail, retry_after=retry_after)


def from_memory(what: str, ledger: Ledger, got: int) -> LimitError:
    """What is too large however long it waits."""
    return LimitError(what, limit="memory_bytes", expected=f"at most {ledger.limit}", got=got)
