"""(i) The longest turn of the event loop while a request is answered, in processor time.

What a turn waits for (other threads, a busy machine) does not count; what it computes does.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from typing import Any

import httpx2

from tests.app.peaks import heads

APPLICATION = "tests.benchmarks.turns:application"
AGAIN = 5
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "8 tokens, lists": ("/api/attention", {"x": {"random": {"shape": [8, 16]}}}),
    "512 tokens, lists": ("/api/attention", heads(T=512)),
    "512 tokens, base64": ("/api/attention?encoding=base64", heads(T=512)),
    "16,384 tokens, a view": ("/api/view", {"spec": heads(T=16_384), "stage": "weights"}),
    "4 MB of a body": ("/api/attention", {"x": [[0.125] * 64] * 8_000}),
}


def application() -> Any:
    """The application, with a route that tells its loop's longest turn since the last time."""
    from app.main import create_app

    app, run = create_app(), asyncio.Handle._run
    found = [0.0]

    def timed(handle: asyncio.Handle) -> None:
        started = time.thread_time()
        run(handle)
        found[0] = max(found[0], time.thread_time() - started)

    asyncio.Handle._run = timed  # type: ignore[method-assign]

    @app.get("/longest")
    async def tell() -> float:
        last, found[0] = found[0], 0.0
        return last

    return app


def longest(url: str) -> Iterator[tuple[str, float]]:
    """Milliseconds of each case, the median of a few."""
    with httpx2.Client(base_url=url, timeout=600) as client:
        for name, (path, body) in CASES.items():
            turns = []
            for _ in range(AGAIN + 1):
                client.get("/longest")
                client.post(path, json=body).read()
                turns.append(client.get("/longest").json() * 1e3)
            yield name, statistics.median(turns[1:])
