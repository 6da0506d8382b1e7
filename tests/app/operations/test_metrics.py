"""What Prometheus reads, of one process and of several."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import pytest
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from app.main import create_app
from app.operations.metrics import SHARED
from app.settings import Settings
from tests.app.serving import served

SMALL = {"x": [[1, 0], [0, 1]]}
Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


def samples(text: str) -> Samples:
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def count(found: Samples, name: str, **labels: str) -> float:
    wanted = set(labels.items())
    return sum(v for (n, held), v in found.items() if n == name and wanted <= held)


def test_requests_are_counted_by_route_and_status(tmp_path: Path) -> None:
    with TestClient(create_app(Settings(upload_dir=tmp_path))) as client:
        for body in (SMALL, SMALL, {"x": []}):
            client.post("/api/attention", json=body)
        client.get("/nobody/knows/this")
        client.get("/static/js/main.js")
        answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = samples(answer.text)
    asked = {"route": "/api/attention", "method": "POST"}
    assert count(found, "attention_requests_total", **asked, status="200") == 2
    assert count(found, "attention_requests_total", **asked, status="422") == 1
    assert count(found, "attention_requests_total", route="other", status="404") == 1
    assert count(found, "attention_requests_total", route="/static", status="200") == 1
    assert count(found, "attention_request_seconds_count", route="/api/attention") == 3
    assert "/nobody" not in answer.text


def test_what_is_kept_is_told(tmp_path: Path) -> None:
    form = {"file": ("a.csv", b"1,2\n3,4\n")}
    view = {"spec": SMALL, "stage": "weights"}
    with TestClient(create_app(Settings(upload_dir=tmp_path))) as client:
        before = samples(client.get("/metrics").text)
        client.post("/api/uploads", files=form)
        for _ in range(3):
            assert client.post("/api/view", json=view).status_code == 200
        after = samples(client.get("/metrics").text)
    assert count(before, "attention_upload_bytes") == 0
    stored = sum(path.stat().st_size for path in tmp_path.iterdir() if len(path.stem) == 64)
    assert count(after, "attention_upload_bytes") == stored > 0
    assert count(after, "attention_cache_misses") == 1
    assert count(after, "attention_cache_hits") == 2
    assert count(after, "attention_cache_bytes") > 0
    assert count(after, "attention_requests_inside") == 0


def test_a_busy_server_says_what_runs_and_what_waits(tmp_path: Path) -> None:
    from tests.app.test_admission import busy_with

    settings = {"workers": 1, "max_products": 2**42, "max_seconds": 10**6}
    with served(tmp_path, **settings) as found, busy_with(found.url, 3):
        told = samples(httpx2.get(f"{found.url}/metrics", timeout=30).text)
        assert count(told, "attention_requests_inside") == 3
        assert count(told, "attention_computations_running") == 1
        assert count(told, "attention_computations_waiting") == 2
        assert count(told, "attention_memory_taken_bytes") > 2**20


def workers_of(process: subprocess.Popen[Any]) -> list[int]:
    """The processes that serve: children of the one that was started, but for its own helper."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    commands = {int(child): Path(f"/proc/{child}/cmdline").read_text() for child in children}
    return [child for child, command in commands.items() if "spawn_main" in command]


def test_whichever_worker_is_asked_answers_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "metrics"
    folder.mkdir()
    monkeypatch.setenv(SHARED, str(folder))
    with served(tmp_path, processes=2) as found:
        answered = 0
        pids: set[str] = set()
        while len(pids) < 2:
            assert answered < 500
            answer = httpx2.post(f"{found.url}/api/attention", json=SMALL, timeout=60)
            assert answer.status_code == 200
            answered += 1
            pids = {path.stem.split("_")[-1] for path in folder.glob("counter_*.db")}
        for _ in range(5):
            told = samples(httpx2.get(f"{found.url}/metrics", timeout=60).text)
            assert count(told, "attention_requests_total", route="/api/attention") == answered
        workers = workers_of(found.process)
        assert len(workers) == 2
        os.kill(workers[0], signal.SIGKILL)
        time.sleep(1)
        told = samples(httpx2.get(f"{found.url}/metrics", timeout=60).text)
        assert count(told, "attention_requests_total", route="/api/attention") == answered
        assert not list(folder.glob(f"gauge_live*_{workers[0]}.db"))


def test_a_number_that_is_asked_for_while_others_write_is_whole() -> None:
    """Each of many threads counts; none is lost."""
    from concurrent.futures import ThreadPoolExecutor

    with TestClient(create_app()) as client:
        metrics = client.app.state.metrics  # type: ignore[attr-defined]
        with ThreadPoolExecutor(8) as threads:
            list(threads.map(lambda _: metrics.note("/x", "GET", 200, 0.1), range(1009)))
        found = samples(client.get("/metrics").text)
    assert count(found, "attention_requests_total", route="/x") == 1009
    assert np.isclose(count(found, "attention_request_seconds_sum", route="/x"), 100.9)


@pytest.mark.parametrize("name", ["PROMETHEUS_MULTIPROC_DIR"])
def test_nothing_is_shared_unless_there_are_workers(name: str) -> None:
    code = f"import os, app.cli; print(os.environ.get({name!r}))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "None"
