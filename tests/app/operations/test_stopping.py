"""SIGTERM: not ready at once, what runs is finished or refused, nobody is cut off."""

import json
import signal
import threading
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.app.serving import served
from tests.app.test_admission import long_view

SMALL = {"x": [[1, 0], [0, 1]]}
MANY = {"max_products": 2**42, "max_seconds": 10**6}


class Asking(threading.Thread):
    """A client that asks and keeps the answer."""

    def __init__(self, url: str, body: Any, **headers: str) -> None:
        super().__init__()
        self._url, self._body, self._headers = url, body, headers
        self.answer: httpx2.Response | None = None
        self.start()
        time.sleep(0.5)

    def run(self) -> None:
        self.answer = httpx2.post(self._url, json=self._body, headers=self._headers, timeout=120)


def test_it_is_not_ready_while_it_still_answers_and_then_ends(tmp_path: Path) -> None:
    with served(tmp_path, drain_seconds=3) as found:
        assert httpx2.get(f"{found.url}/readyz").status_code == 200
        found.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        ready = httpx2.get(f"{found.url}/readyz")
        assert ready.status_code == 503 and ready.json()["detail"] == "the server is stopping"
        assert int(ready.headers["retry-after"]) >= 1
        assert httpx2.get(f"{found.url}/healthz").status_code == 200
        assert httpx2.post(f"{found.url}/api/attention", json=SMALL).status_code == 200
        assert found.process.wait(30) in (0, -signal.SIGTERM)
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(f"{found.url}/healthz")


def test_what_runs_is_finished(tmp_path: Path) -> None:
    heads = {n: {"random": {"shape": [1, 8, 900, 32], "seed": i}} for i, n in enumerate("qkv")}
    with served(tmp_path) as found:
        asking = Asking(f"{found.url}/api/attention", heads)
        found.process.send_signal(signal.SIGTERM)
        asking.join()
        assert asking.answer is not None and asking.answer.status_code == 200
        assert len(asking.answer.json()["tensors"]["weights"][0]) == 8
        assert found.process.wait(30) in (0, -signal.SIGTERM)


def test_what_cannot_be_finished_is_refused(tmp_path: Path) -> None:
    with served(tmp_path, stop_seconds=1, workers=1, **MANY) as found:
        streaming = Asking(f"{found.url}/api/view", long_view(), accept="text/event-stream")
        running = Asking(f"{found.url}/api/view", long_view())
        waiting = Asking(f"{found.url}/api/attention", SMALL)
        found.process.send_signal(signal.SIGTERM)
        for asking in (streaming, running, waiting):
            asking.join()
        for asking in (running, waiting):
            assert asking.answer is not None
            if asking.answer.status_code == 200:
                assert asking is waiting  # it may have had its turn between two strips
                continue
            assert asking.answer.status_code == 503
            assert asking.answer.json()["detail"] == "the server is stopping"
            assert "retry-after" in asking.answer.headers
        assert streaming.answer is not None
        last = streaming.answer.text.strip().split("\n\n")[-1]
        assert last.startswith("event: problem")
        assert json.loads(last.split("data: ", 1)[1])["detail"] == "the server is stopping"
        assert found.process.wait(30) in (0, -signal.SIGTERM)


def test_a_second_signal_ends_the_wait(tmp_path: Path) -> None:
    with served(tmp_path, drain_seconds=600) as found:
        found.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        assert found.process.poll() is None
        found.process.send_signal(signal.SIGTERM)
        assert found.process.wait(30) in (0, -signal.SIGTERM)
