"""Bytes in flight: never over the limit, in order, and nobody waits for ever."""

import threading
import time

import pytest

from app.ledger import Ledger


class StopError(Exception):
    """The client has left."""


def alive() -> None:
    """It has not."""


def test_what_does_not_fit_is_not_taken() -> None:
    ledger = Ledger(10)
    assert ledger.try_take(7) and not ledger.try_take(4)
    assert ledger.taken == 7
    ledger.give(7)
    assert ledger.try_take(10)


def test_who_waits_is_served_in_order_and_never_over_the_limit() -> None:
    ledger, served, most = Ledger(10), [], []
    ledger.take(10, alive)

    def wait(size: int) -> None:
        ledger.take(size, alive)
        served.append(size)
        most.append(ledger.taken)
        time.sleep(0.02)
        ledger.give(size)

    threads = []
    for size in (9, 2, 8, 1):
        threads.append(threading.Thread(target=wait, args=(size,)))
        threads[-1].start()
        time.sleep(0.05)  # so that they ask in this order
    assert served == []
    ledger.give(10)
    for thread in threads:
        thread.join()
    assert served[0] == 9 and sorted(served) == [1, 2, 8, 9]
    assert max(most) <= 10 and ledger.taken == 0


def test_who_is_not_wanted_any_more_stops_waiting() -> None:
    ledger, gone = Ledger(10), threading.Event()
    ledger.take(10, alive)

    def check() -> None:
        if gone.is_set():
            raise StopError

    threading.Timer(0.1, gone.set).start()
    started = time.monotonic()
    with pytest.raises(StopError):
        ledger.take(1, check)
    assert time.monotonic() - started < 5
    ledger.give(10)
    ledger.take(10, alive)  # nobody stands before it
