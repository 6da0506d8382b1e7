"""The application in a process of its own, as its command serves it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psutil


@dataclass(frozen=True)
class Served:
    """Where it listens, its process, and the file that its standard output and error go to."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def served(
    folder: Path, *arguments: str, processes: int = 1, **settings: object
) -> Iterator[Served]:
    """Serve with these settings (``queue_length=1`` is ATTENTION_QUEUE_LENGTH=1) until left."""
    port, log = free_port(), folder / "log.txt"
    names = {f"ATTENTION_{name.upper()}": str(value) for name, value in settings.items()}
    own = {"ATTENTION_UPLOAD_DIR": str(folder / "uploads"), "WEB_CONCURRENCY": str(processes)}
    environment = os.environ | own | names
    command = [sys.executable, "-m", "app", "--port", str(port), *arguments]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
    try:
        wait_for(f"http://127.0.0.1:{port}", process)
        yield Served(f"http://127.0.0.1:{port}", process, log)
    finally:
        kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """A server and its workers, which would go on without it."""
    family = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    for one in (process, *family):
        with suppress(psutil.NoSuchProcess):
            one.kill()
    process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    """Until it answers."""
    for _ in range(600):
        assert process.poll() is None, "the server has ended"
        try:
            httpx2.get(f"{url}/healthz")
            return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise TimeoutError(url)
