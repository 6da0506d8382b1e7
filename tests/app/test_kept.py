"""Specifications kept ready: they save work and change no answer."""

from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient

from app.kept import Kept, fingerprint, size_of
from app.main import create_app
from app.settings import Settings
from attention import Specification, Task, prepare
from tests.wire import array

T = 41
SPECS: dict[str, dict[str, Any]] = {
    "causal": {"masks": [{"kind": "causal"}]},
    "blind rows": {"masks": [{"kind": "causal", "offset": -9}], "fully_masked": "uniform"},
    "sinks": {"sinks": [0.5, 3.0], "biases": [{"kind": "alibi"}], "softcap": 2.0},
    "late": {"masks": [{"kind": "window", "left": 3}], "mask_order": "after_softmax"},
    "dropout": {"dropout": {"p": 0.4, "seed": 3}},
    "bfloat16": {"dtype": "bfloat16"},
}


def specification(name: str) -> dict[str, Any]:
    x = np.random.default_rng(8).standard_normal((T, 6)).tolist()
    return {"x": x, "num_heads": 2, **SPECS[name]}


def viewed(client: TestClient, spec: dict[str, Any], **fields: Any) -> Any:
    answer = client.post("/api/view", json={"spec": spec, "stage": "weights", "head": 1, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("name", list(SPECS))
def test_a_window_is_the_same_whether_or_not_its_rows_were_seen_before(
    name: str, tiles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tiles:
        for size, value in (("WHOLE_KEYS", 0), ("ROWS", 7), ("KEYS", 5)):
            monkeypatch.setattr(f"attention.tiles.{size}", value)
    spec = specification(name)
    stages = ["weights", "scores", "heads", "logsumexp"]
    stages += ["dropped_weights"] if name == "dropout" else []
    with (
        TestClient(create_app(Settings(cache_bytes=0))) as forgetful,
        TestClient(create_app()) as remembering,
    ):
        viewed(remembering, spec)
        for stage in stages:
            wide = stage in ("heads", "logsumexp")
            fields = {"stage": stage, "rows": [3, 23], "cols": [0, 1] if wide else [9, 17]}
            found, anew = (viewed(c, spec, **fields) for c in (remembering, forgetful))
            np.testing.assert_allclose(array(found["z"]), array(anew["z"]), rtol=1e-5, atol=1e-6)
            assert found["masked"] == anew["masked"]


def test_a_known_row_needs_no_keys_beside_the_window(monkeypatch: pytest.MonkeyPatch) -> None:
    cells: list[int] = []
    from attention.tiles import Block

    plain = Block.tile

    def counted(self: Block, cols: slice, *more: Any, **named: Any) -> Any:
        cells.append((self.rows.stop - self.rows.start) * (cols.stop - cols.start))
        return plain(self, cols, *more, **named)

    monkeypatch.setattr(Block, "tile", counted)
    for size, value in (("WHOLE_KEYS", 0), ("ROWS", 7), ("KEYS", 5)):
        monkeypatch.setattr(f"attention.tiles.{size}", value)
    spec = {"x": np.ones((T, 2)).tolist()}
    with TestClient(create_app()) as client:
        viewed(client, spec, head=0)
        assert sum(cells) == T * T
        cells.clear()
        viewed(client, spec, head=0, rows=[10, 13], cols=[20, 25])
        assert sum(cells) == 15


def test_two_specifications_are_never_taken_for_each_other(client: TestClient) -> None:
    one, other = specification("causal"), specification("causal")
    other["x"][T - 1][0] += 1.0
    before = viewed(client, one)
    assert viewed(client, other)["z"] != before["z"]
    assert viewed(client, one) == before


def test_a_file_read_in_another_way_is_another_specification(tmp_path: Path) -> None:
    table = b"1;2\n3;4\n5;6\n"
    with TestClient(create_app(Settings(upload_dir=tmp_path))) as client:

        def rows(header: str) -> int:
            sent = client.post(
                "/api/uploads", files={"file": ("a.csv", table)}, data={"header": header}
            )
            spec = {"x": {"upload": sent.json()["id"]}, "projection": {"kind": "identity"}}
            return int(viewed(client, spec, head=0, stage="q")["rows_total"])

        assert (rows("false"), rows("true"), rows("false")) == (3, 2, 3)


def task(seed: int) -> Task:
    q, k, v = torch.randn(3, 1, 1, 17, 4, generator=torch.Generator().manual_seed(seed))
    return prepare(Specification.of(q=q.clone(), k=k.clone(), v=v.clone()))


def test_the_least_recently_used_goes_first() -> None:
    size = size_of(task(0))
    kept = Kept(2 * size)
    made: list[int] = []

    def make(seed: int) -> Task:
        made.append(seed)
        return task(seed)

    for seed in (0, 1, 0, 2, 0, 1):
        kept.task(bytes([seed]), partial(make, seed))
    assert made == [0, 1, 2, 1]


def test_what_is_larger_than_the_cache_is_not_kept() -> None:
    kept = Kept(100)
    first = kept.task(b"a", lambda: task(0))
    assert kept.task(b"a", lambda: task(0)) is not first


def test_many_threads_may_ask_at_once() -> None:
    kept = Kept(3 * size_of(task(0)))
    wrong: list[int] = []

    def ask(seed: int) -> None:
        for turn in range(50):
            number = (seed + turn) % 5
            found = kept.task(bytes([number]), partial(task, number))
            if not torch.equal(found.q, task(number).q):
                wrong.append(number)

    threads = [Thread(target=ask, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_specification_that_cannot_be_written_down_has_no_key() -> None:
    assert fingerprint({"x": [[10**30]]}, ()) is None
    assert fingerprint({"a": 1, "b": 2}, ()) == fingerprint({"b": 2, "a": 1}, ())
    assert fingerprint({"a": 1}, [b"x"]) != fingerprint({"a": 1}, [b"y"])
