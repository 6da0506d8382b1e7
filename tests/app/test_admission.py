"""A bounded server: refusals at once, deadlines, memory, and nothing lost to a client that left."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from fastapi.testclient import TestClient
from starlette.types import Message

from app.guards.admission import PIECE, in_pieces, weight
from app.main import create_app
from app.settings import Settings
from tests.app.serving import Served, served

SMALL = {"x": [[1, 0], [0, 1]]}


def long_view(tokens: int = 131_072) -> dict[str, Any]:
    """Minutes of work on two cores; one tile of it is short."""
    heads = {n: {"random": {"shape": [tokens, 32], "seed": i}} for i, n in enumerate("qkv")}
    return {"spec": heads, "stage": "weights"}


@contextmanager
def busy_with(url: str, count: int) -> Iterator[None]:
    """Keep ``count`` requests under way; their clients leave afterwards."""
    place, body = urlsplit(url), json.dumps(long_view()).encode()
    head = f"POST /api/view HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
    clients = []
    for _ in range(count):
        client = socket.create_connection((place.hostname, place.port))
        client.sendall(head.encode() + body)
        clients.append(client)
    time.sleep(0.5)
    yield
    for client in clients:
        client.close()


def until_answered(url: str) -> httpx2.Response:
    """Ask politely, as Retry-After says, until there is a place again."""
    for _ in range(60):
        answer = httpx2.post(f"{url}/api/attention", json=SMALL, timeout=60)
        if answer.status_code not in (429, 503):
            return answer
        assert 1 <= int(answer.headers["retry-after"]) <= 30
        time.sleep(0.5)
    raise AssertionError("never answered")


@pytest.fixture(scope="module")
def narrow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One worker, one place to wait."""
    folder = tmp_path_factory.mktemp("narrow")
    with served(folder, workers=1, queue_length=1, max_products=2**42, max_seconds=10**6) as found:
        yield found


def test_when_all_places_are_taken_the_refusal_comes_at_once(narrow: Served) -> None:
    with httpx2.Client(base_url=narrow.url) as client, busy_with(narrow.url, 2):
        for _ in range(21):  # while the two views, of many minutes each, are under way
            answer = client.post("/api/attention", json=SMALL)
            assert answer.status_code == 503
        assert answer.headers["content-type"] == "application/problem+json"
        assert int(answer.headers["retry-after"]) >= 1
        assert "ATTENTION_QUEUE_LENGTH" in answer.json()["detail"]
        assert client.get("/healthz").status_code == 200
    assert until_answered(narrow.url).status_code == 200


def test_a_large_body_is_refused_before_it_is_read(narrow: Served) -> None:
    with busy_with(narrow.url, 2):
        place = urlsplit(narrow.url)
        with socket.create_connection((place.hostname, place.port)) as client:
            client.sendall(
                b"POST /api/attention HTTP/1.1\r\nhost: localhost\r\n"
                b"content-type: application/json\r\ncontent-length: 30000000\r\n\r\n{"
            )
            assert client.recv(64).startswith(b"HTTP/1.1 503")


def test_clients_that_leave_take_their_work_with_them(narrow: Served) -> None:
    assert until_answered(narrow.url).status_code == 200
    with busy_with(narrow.url, 2):
        pass
    assert until_answered(narrow.url).status_code == 200  # the views would take many minutes


def test_an_address_has_its_share_and_no_more(tmp_path: Path) -> None:
    settings = {"client_requests": 1, "max_products": 2**42, "max_seconds": 10**6}
    with served(tmp_path, **settings) as found, busy_with(found.url, 1):
        answer = httpx2.post(f"{found.url}/api/attention", json=SMALL)
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        assert "ATTENTION_CLIENT_REQUESTS" in answer.json()["detail"]


def test_the_deadline_ends_what_waits_and_what_runs_and_loses_no_worker(tmp_path: Path) -> None:
    settings = {"workers": 1, "deadline_seconds": 1.5, "max_products": 2**42, "max_seconds": 10**6}
    with served(tmp_path, **settings) as found:
        with busy_with(found.url, 1):
            waiting = httpx2.post(f"{found.url}/api/view", json=long_view(), timeout=60)
            assert waiting.status_code == 503
            assert "ATTENTION_DEADLINE_SECONDS" in waiting.json()["detail"]
            streamed = httpx2.post(
                f"{found.url}/api/view",
                json=long_view(),
                headers={"accept": "text/event-stream"},
                timeout=60,
            )
            said = streamed.text if streamed.status_code == 200 else ""
            assert "event: problem" in said or streamed.status_code == 503
        assert until_answered(found.url).status_code == 200


SPEC = {n: {"random": {"shape": [1, 4, 700, 8], "seed": i}} for i, n in enumerate("qkv")}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/attention", SPEC),
        ("/api/export", {"spec": SPEC, "format": "html"}),
        ("/api/compare", {"a": SPEC, "variant": "scale_off"}),
        ("/api/view", {"spec": long_view()["spec"], "stage": "weights"}),
        ("/api/attention", {"x": [[1] * 300] * 1500}),
    ],
)
def test_what_takes_more_than_the_memory_is_refused_before_it_begins(
    path: str, body: dict[str, Any]
) -> None:
    with TestClient(create_app(Settings(memory_bytes=2**26))) as session:
        answer = session.post(path, json=body)
        assert answer.status_code == 413, answer.text
        assert "ATTENTION_MEMORY_BYTES" in answer.text
        places = session.app.state.places  # type: ignore[attr-defined]
        assert (places.inside, places.reading.taken, places.computing.taken) == (0, 0, 0)


def test_what_takes_longer_than_allowed_is_refused_before_it_begins() -> None:
    with TestClient(create_app(Settings(max_seconds=1))) as session:
        answer = session.post("/api/view", json=long_view(65_536))
        assert answer.status_code == 413
        assert "ATTENTION_MAX_SECONDS" in answer.text


def test_everything_is_given_back_after_an_answer_and_after_a_refusal(client: TestClient) -> None:
    places = client.app.state.places  # type: ignore[attr-defined]
    for body in (SPEC, {"x": [[1]], "nothing": 1}, SMALL):
        client.post("/api/attention", json=body)
        assert (places.inside, places.running) == (0, 0)
        assert (places.reading.taken, places.computing.taken) == (0, 0)


def test_a_client_that_takes_nothing_is_given_up(tmp_path: Path) -> None:
    body = json.dumps(
        {n: {"random": {"shape": [1, 2, 1200, 8], "seed": 1}} for n in "qkv"}
    ).encode()
    head = f"POST /api/attention HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
    settings = {"send_seconds": 1, "queue_length": 0, "workers": 1}
    with served(tmp_path, **settings) as found:
        place = urlsplit(found.url)
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect((place.hostname, place.port))
            client.sendall(head.encode() + body)
            time.sleep(0.3)
            assert until_answered(found.url).status_code == 200


def test_an_answer_in_pieces_is_the_answer(client: TestClient) -> None:
    answer = client.post("/api/attention", json=SPEC, headers={"accept-encoding": "identity"})
    assert len(answer.content) > 2**20
    assert int(answer.headers["content-length"]) == len(answer.content)
    again = client.post("/api/attention", json=SPEC, params={"include": "weights"})
    assert answer.json()["tensors"]["weights"] == again.json()["tensors"]["weights"]


@pytest.mark.parametrize("text", [b"[1,2,3]", b'{"a":{},"b":[[],[]]}', b'["a","b"]', b"[" * 50])
def test_the_weight_of_a_body_bounds_what_it_becomes(text: bytes) -> None:
    def size(value: Any) -> int:
        inner = value.values() if isinstance(value, dict) else value
        parts = map(size, inner) if isinstance(value, dict | list) else ()
        return sys.getsizeof(value) + sum(parts)

    try:
        assert weight(text) >= size(json.loads(text)) - sys.getsizeof({})
    except json.JSONDecodeError:
        assert weight(text) > 50 * 56


def test_computations_share_the_cores(client: TestClient) -> None:
    places = create_app(Settings(threads=8, workers=4)).state.places
    assert places.threads() == 8
    turns = [places.begin_turn() for _ in range(3)]
    assert places.threads() == 2
    for turn in turns:
        places.end_turn(turn)
    lone = create_app(Settings(threads=1)).state.places
    lone.begin_turn()
    lone.begin_turn()
    assert lone.threads() == 1


def test_requests_of_many_threads_at_once_are_all_answered(tmp_path: Path) -> None:
    found: list[int] = []

    def ask(url: str) -> None:
        with httpx2.Client(base_url=url, timeout=60) as session:
            found.extend(session.post("/api/attention", json=SMALL).status_code for _ in range(5))

    with served(tmp_path) as server:
        threads = [threading.Thread(target=ask, args=(server.url,)) for _ in range(40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [200] * 200


def test_a_long_answer_leaves_others_their_turn_between_its_pieces() -> None:
    """Also where the client takes them at once, so that nothing is waited for."""
    pieces, turns = 13, 0
    sent: list[int] = []

    async def send(message: Message) -> None:
        sent.append(len(message["body"]))

    async def others() -> None:
        nonlocal turns
        while len(sent) < pieces:
            turns += 1
            await asyncio.sleep(0)

    async def both() -> None:
        body = {"type": "http.response.body", "body": bytes(pieces * PIECE - 5)}
        await asyncio.gather(others(), in_pieces(send, 60)(body))

    asyncio.run(both())
    assert sent == [PIECE] * (pieces - 1) + [PIECE - 5]
    assert turns >= pieces - 1
