"""Answers in the form application/octet-stream: the numbers and the words of the JSON answer."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from safetensors.numpy import load

from tests.wire import array

RAW = "application/octet-stream"
SPEC: dict[str, Any] = {
    "x": np.random.default_rng(7).standard_normal((2, 5, 6)).tolist(),
    "num_heads": 3,
    "tokens": ["ein", "zwölf", "三", "<b>", "\u2028"],
    "masks": [{"kind": "causal", "offset": [0, -1]}],
}


def read(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tensors, and the rest of the answer."""
    size = struct.unpack("<Q", content[:8])[0]
    assert size % 8 == 0, "the numbers begin where typed arrays of any width may"
    answer = json.loads(json.loads(content[8 : 8 + size])["__metadata__"]["answer"])
    return load(content), answer


def both(client: TestClient, path: str, body: Any) -> tuple[Any, tuple[Any, Any]]:
    plain = client.post(path, json=body)
    raw = client.post(path, json=body, headers={"accept": RAW})
    assert plain.status_code == raw.status_code == 200
    assert raw.headers["content-type"] == RAW
    return plain.json(), read(raw.content)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_the_whole_result(client: TestClient, dtype: str) -> None:
    names = "scores,masked_scores,weights,allowed,blocked_by,logsumexp,output"
    path = f"/api/attention?encoding=base64&include={names}"
    expected, (tensors, answer) = both(client, path, {**SPEC, "dtype": dtype})
    numbers = expected.pop("tensors") | {"row_sums": expected.pop("row_sums")}
    assert set(tensors) == set(numbers) == {*names.split(","), "row_sums"}
    for name, found in tensors.items():
        wanted = array(numbers[name])
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
    assert answer == expected
    assert answer["tokens"]["queries"][0] == SPEC["tokens"]


def test_a_window(client: TestClient) -> None:
    body = {"spec": SPEC, "stage": "masked_scores", "head": 2, "max_rows": 2, "cols": [1, 5]}
    expected, (tensors, answer) = both(client, "/api/view?encoding=base64", body)
    for name in ("z", "masked"):
        np.testing.assert_array_equal(tensors[name], array(expected.pop(name)))
    assert answer == expected


def test_a_window_in_which_nothing_is_masked(client: TestClient) -> None:
    body = {"spec": {**SPEC, "masks": []}, "stage": "weights", "head": 1}
    expected, (tensors, _) = both(client, "/api/view?encoding=base64", body)
    assert list(tensors) == ["z"]
    assert not array(expected["masked"]).any()


def test_what_has_no_number(client: TestClient) -> None:
    spec = {"q": [[[0.5]]], "k": [[["NaN"]]], "v": [[["-Infinity"]]]}
    _, (tensors, answer) = both(client, "/api/attention?include=scores,output", spec)
    assert np.isnan(tensors["scores"]).all() and np.isnan(tensors["output"]).all()
    assert answer["warnings"]


def test_problems_stay_problem_bodies(client: TestClient) -> None:
    answer = client.post("/api/attention", json={"x": [[1], [1, 2]]}, headers={"accept": RAW})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_events_are_answered_to_who_accepts_both(client: TestClient) -> None:
    body = {"spec": SPEC, "stage": "weights"}
    accept = f"text/event-stream, {RAW};q=0.5"
    answer = client.post("/api/view", json=body, headers={"accept": accept})
    assert answer.headers["content-type"].startswith("text/event-stream")
