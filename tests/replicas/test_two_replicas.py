"""Two real servers with folders of their own and one store; one of them is killed under load."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.app.serving import Served, served

CLIENTS = 6
BEFORE, AFTER = 4, 4
"""Uploads that each client has had accepted before the kill, and that it goes on for after it."""
SECONDS = 120


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    folder = tmp_path_factory.mktemp("replicas")
    store = f"file://{folder}/store"
    with ExitStack() as stack:
        yield [
            stack.enter_context(served(_made(folder / name), upload_store=store))
            for name in ("one", "two")
        ]


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


@dataclass
class Client:
    """Uploads one file after another, to both replicas in turn; a broken request is sent again."""

    replicas: list[Served]
    number: int
    accepted: dict[str, Any] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)
    """The replica of each request that was sent and never answered."""
    statuses: set[int] = field(default_factory=set)
    begun: threading.Event = field(default_factory=threading.Event)
    stop: threading.Event = field(default_factory=threading.Event)

    def work(self) -> None:
        for turn in count(self.number):
            self.upload(f"{self.number},{turn}\n1,2\n".encode(), turn)
            if len(self.accepted) >= BEFORE:
                self.begun.set()
            if self.stop.is_set() and len(self.accepted) >= BEFORE + AFTER:
                return

    def upload(self, data: bytes, turn: int) -> None:
        """Until some replica has accepted it."""
        for attempt in count(turn):
            server = self.replicas[attempt % len(self.replicas)]
            try:
                answer = httpx2.post(
                    f"{server.url}/api/uploads", files={"file": ("x.csv", data)}, timeout=SECONDS
                )
            except httpx2.ConnectError:
                continue  # nobody listens: nothing was sent
            except httpx2.TransportError:
                self.broken.append(server.url)
                continue
            self.statuses.add(answer.status_code)
            if answer.status_code == 201:
                self.accepted[answer.json()["id"]] = answer.json()
                return


def test_an_upload_to_one_replica_is_used_on_the_other(replicas: list[Served]) -> None:
    one, other = replicas
    answer = httpx2.post(
        f"{one.url}/api/uploads", files={"file": ("x.csv", b"1,2\n3,4\n5,7\n")}, timeout=SECONDS
    )
    spec = {"x": {"upload": answer.json()["id"]}, "num_heads": 2}
    found = [
        httpx2.post(f"{server.url}/api/attention", json=spec, timeout=SECONDS)
        for server in (other, one)
    ]
    assert [answer.status_code for answer in found] == [200, 200]
    assert found[0].content == found[1].content


def test_a_replica_that_is_killed_loses_nothing_but_what_it_was_at(replicas: list[Served]) -> None:
    """Runs last: only one replica is left."""
    doomed, other = replicas
    clients = [Client(replicas, number) for number in range(CLIENTS)]
    threads = [threading.Thread(target=client.work) for client in clients]
    for thread in threads:
        thread.start()
    for client in clients:
        assert client.begun.wait(SECONDS)
    doomed.process.kill()
    doomed.process.wait()
    for client in clients:
        client.stop.set()
    for thread in threads:
        thread.join(SECONDS)
        assert not thread.is_alive()
    assert {status for client in clients for status in client.statuses} == {201}
    broken = [url for client in clients for url in client.broken]
    assert set(broken) <= {doomed.url}, "the other one has broken no request"
    assert len(broken) <= CLIENTS, "each client had at most one request there"
    accepted = {name: said for client in clients for name, said in client.accepted.items()}
    assert len(accepted) >= CLIENTS * (BEFORE + AFTER)
    for identity, said in accepted.items():
        kept = httpx2.get(f"{other.url}/api/uploads/{identity}", timeout=SECONDS)
        assert (kept.status_code, kept.json()) == (200, said)
        spec = {"x": {"upload": identity}}
        used = httpx2.post(f"{other.url}/api/attention", json=spec, timeout=SECONDS)
        assert used.status_code == 200


def workers_of(server: Served) -> list[psutil.Process]:
    """The processes that serve, below the one that watches over them."""
    children = psutil.Process(server.process.pid).children()
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_a_worker_that_is_killed_is_replaced_and_uploads_stay(tmp_path: Path) -> None:
    with served(tmp_path, "--workers", "2") as server:
        first = workers_of(server)
        assert len(first) == 2
        answer = httpx2.post(
            f"{server.url}/api/uploads", files={"file": ("x.csv", b"1,2\n3,4\n")}, timeout=SECONDS
        )
        spec = {"x": {"upload": answer.json()["id"]}}
        first[0].kill()
        psutil.wait_procs(first[:1], SECONDS)
        for _ in range(6):
            used = retried(f"{server.url}/api/attention", spec)
            assert used.status_code == 200
        for _ in range(SECONDS):
            now = workers_of(server)
            if len(now) == 2 and first[0] not in now:
                break
            psutil.wait_procs(first[1:], 1)
        else:
            raise AssertionError("nobody has taken its place")
        assert first[1] in now, "the other worker was left alone"


def retried(url: str, body: Any) -> httpx2.Response:
    """The answer, asked for again where a connection was the dead worker's."""
    for _ in range(5):
        try:
            return httpx2.post(url, json=body, timeout=SECONDS)
        except httpx2.TransportError:
            continue
    raise AssertionError(url)
