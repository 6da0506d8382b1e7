"""What Prometheus reads at ``/metrics``: of this process, or of all workers that share a folder."""

from __future__ import annotations

import os
import re
from pathlib import Path

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from app.kept import Kept
from app.places import Places

SHARED = "PROMETHEUS_MULTIPROC_DIR"
SECONDS = (0.005, 0.02, 0.1, 0.5, 2, 10, 60, 300)


class Metrics:
    """The numbers of one application.

    With the environment variable PROMETHEUS_MULTIPROC_DIR every worker writes into that folder, and
    whichever is asked answers for all.
    """

    def __init__(self, places: Places, kept: Kept) -> None:
        self._places, self._kept = places, kept
        self._folder = os.environ.get(SHARED)
        registry = self._registry = CollectorRegistry()
        if self._folder is None:
            ProcessCollector(registry=registry)
        names = ["route", "method", "status"]
        self.requests = Counter("attention_requests", "Requests answered", names, registry=registry)
        self.seconds = Histogram(
            "attention_request_seconds",
            "From a request to the end of its answer",
            ["route"],
            buckets=SECONDS,
            registry=registry,
        )
        self._of: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._inside = self._gauge("requests_inside", "Requests of the API under way")
        self._running = self._gauge("computations_running", "Threads that compute")
        self._waiting = self._gauge("computations_waiting", "Computations that wait for a thread")
        self._memory = self._gauge("memory_taken_bytes", "Bytes counted for requests under way")
        self._cache = self._gauge("cache_bytes", "Bytes of specifications kept ready")
        self._found = self._gauge("cache_hits", "Specifications that were ready when asked for")
        self._missed = self._gauge("cache_misses", "Specifications that had to be made ready")
        self._uploads = Gauge(
            "attention_upload_bytes",
            "Bytes of all uploads",
            registry=registry,
            multiprocess_mode="mostrecent",
        )

    def _gauge(self, name: str, says: str) -> Gauge:
        return Gauge(
            f"attention_{name}", says, registry=self._registry, multiprocess_mode="livesum"
        )

    def note(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count one request that has been answered."""
        key = (route, method, status)
        if key not in self._of:  # looking one up by its labels takes longer than counting
            asked = self.requests.labels(route, method, str(status))
            self._of[key] = asked, self.seconds.labels(route)
        requests, taken = self._of[key]
        requests.inc()
        taken.observe(seconds)
        self.look()

    def look(self) -> None:
        """Set what can be looked up."""
        places, kept = self._places, self._kept
        self._inside.set(places.inside)
        self._running.set(places.running)
        self._waiting.set(places.waiting)
        self._memory.set(places.reading.taken + places.computing.taken)
        self._cache.set(kept.size)
        self._found.set(kept.found)
        self._missed.set(kept.missed)

    def written(self, upload_bytes: int) -> bytes:
        """Everything, in the text format of Prometheus."""
        self.look()
        self._uploads.set(upload_bytes)
        if self._folder is None:
            return generate_latest(self._registry)
        forget_dead(Path(self._folder))
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone)
        return generate_latest(everyone)

    def close(self) -> None:
        """What this process alone had is no more."""
        if self._folder is not None:
            mark_process_dead(os.getpid())


def forget_dead(folder: Path) -> None:
    """What a killed worker was doing is not being done any more."""
    for path in folder.glob("gauge_live*.db"):
        found = re.search(r"_(\d+)\.db$", path.name)
        if found and not _alive(int(found[1])):
            mark_process_dead(int(found[1]))


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
