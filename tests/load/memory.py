"""Memory of a server: what its processes hold for themselves alone."""

from __future__ import annotations

import threading

import psutil


def held(pid: int) -> int:
    """Bytes of a process and of those below it; libraries that they share are left out."""
    root = psutil.Process(pid)
    total = 0
    for process in (root, *root.children(recursive=True)):
        try:
            total += process.memory_full_info().uss
        except psutil.NoSuchProcess:
            continue
    return total


class Watch:
    """The most that a server has held while it was watched, looked at once a second."""

    def __init__(self, pid: int) -> None:
        self.pid, self.most = pid, held(pid)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._done.wait(1):
            self.most = max(self.most, held(self.pid))

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
