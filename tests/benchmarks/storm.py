"""``python -m tests.benchmarks.storm``: many clients, every kind of request, one ceiling of memory.

A server of 1 GiB for requests (ATTENTION_MEMORY_BYTES) meets 40 clients that ask for all that is
large at once, forget to read, leave early and send bodies that become huge. Told are the largest
resident memory, what became of the requests, and how soon refusals came: to the 40, which share one
process and are slow themselves, and to a few more in a process of their own, which ask for
little. Refused at the door is who finds all places taken; others had a place and no time left.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from tests.app.peaks import heads
from tests.app.serving import Served, served

SECONDS = 60
CLIENTS = 40
MEMORY, CACHE = 2**30, 2**28
AT_THE_DOOR = "all places are taken"
PAUSE, FEW = 0.1, 8
SMALL = {"x": [[1, 0], [0, 1]], "masks": [{"kind": "causal"}]}
T = 1500


def bodies() -> list[tuple[str, bytes]]:
    """What is asked: large answers, long views, large bodies, and what people mostly ask."""
    run = heads(T=T)
    long = {"spec": heads(T=16_384), "stage": "weights"}
    asked: list[tuple[str, Any]] = [
        ("attention", run),
        ("attention?encoding=base64", run),
        ("compare", {"a": run, "variant": "mask_off"}),
        ("decode", {"spec": {"x": {"random": {"shape": [700, 16]}}}, "prefill": 3}),
        ("export", {"spec": heads(T=700), "format": "html"}),
        ("export", {"spec": heads(T=500), "format": "csv"}),
        ("view?encoding=base64", long),
        ("rows", {"spec": heads(T=8_192)}),
        ("check", {"spec": heads(T=300), "expected": {"output": [[[0.5]]]}}),
        ("attention", {"x": [[0.125] * 64] * 20_000}),
        ("attention", {"x": [[]] * 3_000_000}),
        *[("attention", SMALL)] * 10,
    ]
    return [(f"/api/{path}", json.dumps(body).encode()) for path, body in asked]


class Client(threading.Thread):
    """Asks for one thing after another, until the end."""

    def __init__(self, url: str, seed: int, end: float) -> None:
        super().__init__()
        self._url, self._random, self._end = url, random.Random(seed), end
        self.answers: list[tuple[int, float]] = []

    def run(self) -> None:
        choices = bodies()
        while time.monotonic() < self._end:
            path, body = self._random.choice(choices)
            patience = self._random.choice([2, 60, 60])
            started = time.perf_counter()
            try:
                with httpx2.stream(
                    "POST",
                    self._url + path,
                    content=body,
                    headers={"content-type": "application/json"},
                    timeout=patience,
                ) as answer:
                    seconds = time.perf_counter() - started
                    self.answers.append((answer.status_code, seconds))
                    for _ in answer.iter_raw():
                        pass
            except httpx2.TransportError:
                self.answers.append((0, 0.0))


def ask_for_little(url: str) -> None:
    """A few, again and again until the end; prints each refusal's milliseconds at the door."""
    end = time.monotonic() + SECONDS
    refused: list[float] = []

    def one() -> None:
        with httpx2.Client(timeout=120) as client:
            while time.monotonic() < end:
                started = time.perf_counter()
                answer = client.post(f"{url}/api/attention", json=SMALL)
                if answer.status_code == 503 and AT_THE_DOOR in answer.text:
                    refused.append(1000 * (time.perf_counter() - started))
                time.sleep(PAUSE)

    few = [threading.Thread(target=one) for _ in range(FEW)]
    for thread in few:
        thread.start()
    for thread in few:
        thread.join()
    print(json.dumps(refused))


def resident(found: Served, name: str = "VmRSS") -> float:
    """MiB."""
    text = Path(f"/proc/{found.process.pid}/status").read_text()
    match = re.search(rf"^{name}:\s+(\d+) kB", text, re.MULTILINE)
    assert match
    return int(match[1]) / 1024


def main() -> None:
    settings = {"memory_bytes": MEMORY, "cache_bytes": CACHE, "queue_length": 16}
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), **settings) as found:
        httpx2.post(f"{found.url}/api/attention", json={"x": [[1]]})
        before = resident(found)
        end = time.monotonic() + SECONDS
        clients = [Client(found.url, seed, end) for seed in range(CLIENTS)]
        for client in clients:
            client.start()
        command = [sys.executable, "-m", "tests.benchmarks.storm", found.url]
        little = subprocess.run(command, stdout=subprocess.PIPE, check=True)
        for client in clients:
            client.join()
        most, after = resident(found, "VmHWM"), resident(found)
        alive = httpx2.post(
            f"{found.url}/api/attention", json={"x": [[1]]}, timeout=120
        ).status_code
    answers = [answer for client in clients for answer in client.answers]
    report(answers, json.loads(little.stdout), before, most, after, alive)


def report(
    answers: list[tuple[int, float]],
    at_the_door: list[float],
    before: float,
    most: float,
    after: float,
    alive: int,
) -> None:
    """The figures, and whether the ceiling held."""
    ceiling = before + (MEMORY + CACHE) / 2**20
    refused = [1000 * seconds for status, seconds in answers if status in (429, 503)]
    print(f"{CLIENTS} clients, {SECONDS} s: {dict(sorted(Counter(s for s, _ in answers).items()))}")
    print(f"resident memory: {before:.0f} MiB at rest, at most {most:.0f}, {after:.0f} afterwards")
    held = most <= ceiling
    print(f"ceiling {ceiling:.0f} MiB (at rest + memory + cache): {'held' if held else 'BROKEN'}")
    for whose, found in (("the 40", refused), ("a few more, at the door", at_the_door)):
        if found:
            late = [float(np.percentile(found, p)) for p in (50, 95, 99)]
            text = "{:.1f} ms (median), {:.1f} (p95), {:.1f} (p99)".format(*late)
            print(f"refusals to {whose}: {len(found)} after {text}")
    print(f"an answer afterwards: {alive}")
    sys.exit(not held or alive != 200 or any(status == 500 for status, _ in answers))


if __name__ == "__main__":
    ask_for_little(sys.argv[1]) if len(sys.argv) > 1 else main()
