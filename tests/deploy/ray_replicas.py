"""``make ray``: the application on a Ray cluster of this machine, with two replicas and one store.

Not collected by ``make test``: Ray takes half a gigabyte, and nothing else needs it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import ray
from ray import serve

from app.ray_serve import Scale, application
from tests.app.serving import free_port

SECONDS = 300
REPLICAS = 2


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where two replicas are served; on one machine they have one folder, too."""
    folder: Path = tmp_path_factory.mktemp("ray")
    os.environ["ATTENTION_UPLOAD_STORE"] = f"file://{folder}/store"
    os.environ["ATTENTION_UPLOAD_DIR"] = str(folder / "cache")
    port = free_port()
    ray.init(num_cpus=REPLICAS + 1, include_dashboard=False, log_to_driver=False)
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    scale = Scale(min_replicas=REPLICAS, max_replicas=REPLICAS, cpus_each=0.5)
    serve.run(application(scale))
    yield f"http://127.0.0.1:{port}"
    serve.shutdown()
    ray.shutdown()


def replicas() -> list[Any]:
    (deployment,) = serve.status().applications["default"].deployments.values()
    return [state for state, count in deployment.replica_states.items() for _ in range(count)]


def test_two_replicas_run(address: str) -> None:
    assert replicas() == ["RUNNING"] * REPLICAS


def test_the_page_and_the_api_answer(address: str) -> None:
    page = httpx2.get(f"{address}/", timeout=SECONDS)
    assert "content-security-policy" in page.headers
    assert page.status_code == 200
    spec = {"x": [[1, 0], [0, 1]], "projection": {"kind": "identity"}}
    answer = httpx2.post(f"{address}/api/attention", json=spec, timeout=SECONDS)
    assert answer.status_code == 200
    assert answer.json()["tensors"]["q"] == [[[[1, 0], [0, 1]]]]


def test_an_upload_is_used_on_whichever_replica_is_asked(address: str) -> None:
    files = {"file": ("x.csv", b"1,2\n3,4\n5,7\n")}
    upload = httpx2.post(f"{address}/api/uploads", files=files, timeout=SECONDS).json()
    spec = {"x": {"upload": upload["id"]}}
    answers = [
        httpx2.post(f"{address}/api/attention", json=spec, timeout=SECONDS) for _ in range(20)
    ]
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.content for answer in answers}) == 1


def test_a_refusal_is_a_problem_body(address: str) -> None:
    answer = httpx2.post(f"{address}/api/attention", json={"x": []}, timeout=SECONDS)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
