"""Limits: 413 with the limit, its value and the setting that raises it; nothing is allocated."""

import time
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings

FAST = 5.0  # seconds; the arrays refused here would take many times that, or all memory
TINY = {
    "max_body_bytes": 2_000,
    "max_batch": 2,
    "max_tokens": 7,
    "max_heads": 4,
    "max_width": 32,
    "max_weights": 1_000,
    "max_cells": 100,
}


@pytest.fixture(scope="module")
def small() -> Any:
    with TestClient(create_app(Settings(**TINY)), raise_server_exceptions=False) as session:
        yield session


def ones(*shape: int) -> Any:
    return np.ones(shape, dtype=int).tolist()


OVER = [
    ("max_batch", {"x": ones(3, 1, 1)}, 3),
    ("max_tokens", {"x": ones(8, 1)}, 8),
    ("max_tokens", {"x": ones(1, 1), "memory": ones(8, 1)}, 8),
    ("max_tokens", {n: ones(1, 1) for n in "qkv"} | {f"past_{n}": ones(7, 1) for n in "kv"}, 8),
    ("max_heads", {"x": ones(1, 5), "num_heads": 5}, 5),
    ("max_width", {"x": ones(1, 33)}, 33),
    ("max_width", {"x": ones(1, 1), "head_dim": 33}, 33),
    ("max_width", {"x": ones(1, 1), "value_dim": 33}, 33),
    ("max_width", {"x": ones(1, 1), "num_heads": 3, "head_dim": 11}, 33),
    ("max_weights", {"x": ones(1, 16)}, 4 * 16 * 16),
    ("max_cells", {"x": ones(2, 6, 4), "num_heads": 4}, 2 * 4 * 6 * 6),
]


@pytest.mark.parametrize(("limit", "spec", "got"), OVER)
def test_over_a_limit_the_answer_names_limit_value_and_setting(
    small: TestClient, limit: str, spec: dict[str, Any], got: int
) -> None:
    answer = small.post("/api/attention", json=spec)
    assert answer.status_code == 413, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    text = answer.text
    for word in (limit, str(TINY[limit]), f"ATTENTION_{limit.upper()}", str(got)):
        assert word in text, text


def test_at_a_limit_the_answer_is_computed(small: TestClient) -> None:
    for spec in ({"x": ones(2, 7, 1)}, {"x": ones(1, 4), "num_heads": 4, "head_dim": 8}):
        assert small.post("/api/attention", json=spec).status_code == 200


def test_a_body_over_its_limit_is_refused_whether_or_not_it_states_its_length(
    small: TestClient,
) -> None:
    body = b'{"x": [[1]]}' + b" " * 2_000

    def in_pieces() -> Any:
        yield body[:1_000]
        yield body[1_000:]

    for content in (body, in_pieces()):
        answer = small.post(
            "/api/attention", content=content, headers={"content-type": "application/json"}
        )
        assert answer.status_code == 413
        for word in ("max_body_bytes", "2000", "ATTENTION_MAX_BODY_BYTES"):
            assert word in answer.text


@pytest.mark.parametrize(
    "spec",
    [
        {"x": [[1]], "head_dim": 10**9},
        {"x": [[1]], "value_dim": 10**9},
        {"x": [[1]], "num_heads": 2**30, "head_dim": 1},
        {"x": [[1]], "num_heads": 2**31, "num_kv_heads": 1, "head_dim": 2**31},
        {"x": [[1] * 1_000], "num_heads": 1_000, "head_dim": 10**6},
    ],
)
def test_a_giant_that_is_only_asked_for_is_refused_at_once(
    client: TestClient, spec: dict[str, Any]
) -> None:
    started = time.perf_counter()
    answer = client.post("/api/attention", json=spec)
    assert answer.status_code == 413, answer.text
    assert time.perf_counter() - started < FAST


@pytest.mark.parametrize(
    "shape", ["1000000000,1000000000", "99999999999,0", "4294967296,4294967296"]
)
def test_a_typed_array_s_shape_is_checked_against_its_bytes_first(
    client: TestClient, shape: str
) -> None:
    started = time.perf_counter()
    spec = {"x": {"dtype": "f4", "bdata": "AACAPw==", "shape": shape}}
    assert client.post("/api/attention", json=spec).status_code in (413, 422)
    assert time.perf_counter() - started < FAST


def test_more_masks_than_a_bit_mask_can_name_are_refused(client: TestClient) -> None:
    spec = {"x": [[1]], "masks": [{"kind": "causal"}] * 33}
    assert client.post("/api/attention", json=spec).status_code == 413


def test_limits_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_MAX_TOKENS", "5")
    with TestClient(create_app()) as session:
        assert session.post("/api/attention", json={"x": ones(5, 1)}).status_code == 200
        assert session.post("/api/attention", json={"x": ones(6, 1)}).status_code == 413


def test_two_applications_keep_their_own_settings(small: TestClient, client: TestClient) -> None:
    spec = {"x": ones(8, 1)}
    assert small.post("/api/attention", json=spec).status_code == 413
    assert client.post("/api/attention", json=spec).status_code == 200


def test_the_default_body_limit_is_32_mebibytes() -> None:
    assert Settings().max_body_bytes == 32 * 1024 * 1024


def test_head_counts_that_do_not_fit_are_refused_at_once_however_large(client: TestClient) -> None:
    spec = {"x": [[1.0, 2.0]], "num_heads": 2**31, "num_kv_heads": 3}
    answer = client.post("/api/costs", json={"spec": spec})
    assert answer.status_code == 422
    assert "1, 2, 4, 8" in answer.json()["detail"] and "2147483648" in answer.json()["detail"]


def test_long_lists_of_masks_are_refused_before_each_is_read(client: TestClient) -> None:
    answer = client.post("/api/attention", json={"x": [[1]], "masks": [0] * 50_000})
    assert answer.status_code == 413
    assert answer.json()["errors"][0]["loc"] == ["masks"]
    inside = {"a": {"x": [[1]], "biases": [0] * 50_000}, "variant": "mask_off"}
    answer = client.post("/api/compare", json=inside)
    assert answer.status_code == 413
    assert answer.json()["errors"][0]["loc"] == ["a", "biases"]


def test_many_errors_are_counted_and_not_all_written_out(client: TestClient) -> None:
    spec = {"x": [[1]], **{f"field_{i}": 1 for i in range(1000)}}
    answer = client.post("/api/attention", json=spec).json()
    assert len(answer["errors"]) == 20
    assert "and 999 more" in answer["detail"]


def test_costs_are_counted_within_the_same_limits(client: TestClient) -> None:
    spec = {"x": [[1]], "num_heads": 2**30, "head_dim": 2**31}
    assert client.post("/api/costs", json={"spec": spec}).status_code == 413
