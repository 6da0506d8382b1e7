"""Strips as they come, and work that is given up when its client leaves."""

import asyncio
import gc
import json
from collections.abc import Iterator
from pkgutil import resolve_name
from threading import Event
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.guards import CLIENT_LEFT
from app.main import create_app
from app.settings import Settings
from tests.wire import array

T = 37
SPEC = {
    "x": np.random.default_rng(12).standard_normal((T, 6)).tolist(),
    "num_heads": 2,
    "masks": [{"kind": "causal"}],
}


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, size in (("WHOLE_KEYS", 0), ("ROWS", 7), ("KEYS", 5)):
        monkeypatch.setattr(f"attention.tiles.{name}", size)


def events_of(text: str) -> Iterator[tuple[str, Any]]:
    for block in text.strip().split("\n\n"):
        name, data = block.split("\n")
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


@pytest.mark.parametrize("reduce", ["max", "mean"])
@pytest.mark.parametrize("max_rows", [T, 12, 2])
@pytest.mark.parametrize("stage", ["weights", "scores", "heads"])
def test_the_strips_are_the_answer(
    client: TestClient, stage: str, max_rows: int, reduce: str
) -> None:
    body = {
        "spec": SPEC, "stage": stage, "head": 1, "max_rows": max_rows, "max_cols": 6,
        "reduce": reduce,
    }  # fmt: skip
    plain = client.post("/api/view", json=body).json()
    answer = client.post("/api/view", json=body, headers={"accept": "text/event-stream"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    events = list(events_of(answer.text))
    assert events[0][0] == "start" and events[-1][0] == "done"
    for name, value in events[0][1].items():
        assert plain[name] == value
    strips = [data for name, data in events if name == "strip"]
    progress = [data for name, data in events if name == "progress"]
    for name in ("z", "masked"):
        whole = np.concatenate([array(strip[name]) for strip in strips])
        np.testing.assert_allclose(whole, array(plain[name]), rtol=1e-6, atol=1e-7)
    ends = [strip["rows"] for strip in strips]
    assert [a for a, _ in ends] == [0, *(b for _, b in ends[:-1])]
    assert ends[-1][1] == len(plain["z"])
    assert [p["done"] for p in progress] == list(range(1, progress[0]["of"] + 1))
    assert len(progress) > 1
    done = events[-1][1]
    assert done["min"] == pytest.approx(plain["min"], rel=1e-6)
    assert done["max"] == pytest.approx(plain["max"], rel=1e-6)


def test_a_refusal_comes_before_the_stream(client: TestClient) -> None:
    body = {"spec": SPEC, "stage": "weights", "head": 9}
    answer = client.post("/api/view", json=body, headers={"accept": "text/event-stream"})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def client_of(app: Any, path: str, body: Any, headers: dict[str, str]) -> Any:
    """A client that leaves when told to, and the messages that it was sent."""
    sent: list[Any] = []

    async def ask(leave: asyncio.Event) -> None:
        content = [{"type": "http.request", "body": json.dumps(body).encode()}]

        async def receive() -> Any:
            if content:
                return content.pop()
            await leave.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "method": "POST",
            "path": path, "raw_path": path.encode(), "query_string": b"", "http_version": "1.1",
            "scheme": "http", "server": ("test", 80), "client": ("test", 1), "root_path": "",
            "headers": [(b"content-type", b"application/json"),
                        *((k.encode(), v.encode()) for k, v in headers.items())],
        }  # fmt: skip
        await app(scope, receive, send)

    return ask, sent


async def settle() -> None:
    """Let the loop see that the client has left."""
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("path", ["/api/view", "/api/rows"])
def test_work_stops_when_its_client_leaves(
    path: str, accept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from attention.tiles import Block

    computed: list[int] = []
    plain = Block.tile

    async def run() -> Any:
        leave, loop = asyncio.Event(), asyncio.get_running_loop()

        def tile(self: Block, *more: Any, **named: Any) -> Any:
            computed.append(self.rows.start)
            if self.rows.start >= 14:
                loop.call_soon_threadsafe(leave.set)
                asyncio.run_coroutine_threadsafe(settle(), loop).result()
            return plain(self, *more, **named)

        monkeypatch.setattr(Block, "tile", tile)
        body = {"spec": SPEC} | ({"stage": "weights"} if path.endswith("view") else {"heads": [0]})
        app = create_app(Settings(workers=1))
        ask, sent = client_of(app, path, body, {"accept": accept})
        await ask(leave)
        await app.state.pool.run(int)  # the thread has ended
        return sent

    sent = asyncio.run(run())
    assert max(computed) < 28, "rows were computed long after the client had left"
    starts = [m for m in sent if m["type"] == "http.response.start"]
    assert accept == "text/event-stream" or starts[0]["status"] == CLIENT_LEFT


WRONG = np.zeros((1, 7, 7)).tolist()
RUN = {"x": np.eye(7).tolist(), "num_heads": 7, "masks": [{"kind": "causal"}]}
IN_PARTS = {
    "check": ("attention.checking.search.Search._remains", {"expected": {"output": WRONG}}),
    "decode": ("attention.decoding._step", {"prefill": 0}),
    "readings": ("attention.reading.asking._reading", {"subject": "array"}),
    "stability": ("app.routes.stability._trial", {}),
}
"""Routes that compute many runs: what has to do with one of them, and a body of several."""


@pytest.mark.parametrize("route", IN_PARTS)
def test_many_runs_end_with_the_one_in_which_their_client_leaves(
    route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, more = IN_PARTS[route]
    plain, computed = resolve_name(name), 0

    async def run(leaves: bool) -> list[Any]:
        nonlocal computed
        leave, loop, computed = asyncio.Event(), asyncio.get_running_loop(), 0

        def part(*args: Any, **named: Any) -> Any:
            nonlocal computed
            computed += 1
            if leaves:
                loop.call_soon_threadsafe(leave.set)
                asyncio.run_coroutine_threadsafe(settle(), loop).result()
            return plain(*args, **named)

        monkeypatch.setattr(name, part)
        app = create_app(Settings(workers=1))
        ask, sent = client_of(app, f"/api/{route}", {"spec": RUN, **more}, {})
        await ask(leave)
        await app.state.pool.run(int)  # the thread has ended
        return sent

    assert asyncio.run(run(leaves=False))[0]["status"] == 200
    assert computed >= 3
    assert asyncio.run(run(leaves=True))[0]["status"] == CLIENT_LEFT
    assert computed == 1


def test_work_that_waits_for_its_turn_is_not_begun_for_a_client_that_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> list[Any]:
        app, leave = create_app(Settings(workers=1)), asyncio.Event()
        done, begun = Event(), []
        monkeypatch.setattr("app.routes.attention._answer", lambda *_: begun.append(1))
        someone_else = asyncio.create_task(app.state.pool.run(done.wait))
        ask, sent = client_of(app, "/api/attention", SPEC, {})
        waiting = asyncio.create_task(ask(leave))
        await asyncio.sleep(0.2)
        leave.set()
        await waiting
        done.set()
        await someone_else
        await app.state.pool.run(int)  # whatever waited has had its turn
        assert begun == []
        return sent

    assert asyncio.run(run())[0]["status"] == CLIENT_LEFT


def test_an_answer_is_let_go_with_its_request(client: TestClient) -> None:
    """Not only when Python next looks for cycles: answers may be hundreds of megabytes."""
    client.post("/api/attention", json=SPEC)
    gc.collect()
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        assert client.post("/api/attention", json=SPEC).status_code == 200
        gc.collect()
        kept = [one for one in gc.garbage if isinstance(one, asyncio.Task) and one.done()]
        answers = [one.result() for one in kept if not one.cancelled() and not one.exception()]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert [answer for answer in answers if isinstance(answer, bytes)] == []
