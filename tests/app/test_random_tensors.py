"""``{"random": …}`` wherever numbers stand."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.wire import array


def test_random_numbers_stand_where_numbers_do(client: TestClient) -> None:
    spec = {
        "x": {"random": {"shape": [5, 4], "seed": 3}},
        "num_heads": 2,
        "biases": [{"kind": "matrix", "values": {"random": {"shape": [5, 5], "kind": "waves"}}}],
    }
    found = client.post("/api/attention?include=q,scores", json=spec)
    assert found.status_code == 200, found.text
    x = np.random.RandomState(3).standard_normal((5, 4)).astype(np.float32).tolist()
    written = client.post("/api/attention?include=q,scores", json={**spec, "x": x})
    assert found.json()["tensors"] == written.json()["tensors"]
    plain = client.post("/api/attention?include=scores", json={**spec, "biases": []}).json()
    assert plain["tensors"]["scores"] != found.json()["tensors"]["scores"]


@pytest.mark.parametrize(
    ("random", "status", "loc"),
    [
        ({"shape": [4, 4], "kind": "odd"}, 422, ["x", "random", "kind"]),
        ({"shape": [0, 4]}, 422, ["x", "random", "shape"]),
        ("everything", 422, ["x", "random"]),
        ({"shape": [64, 4]}, 413, ["x", "random", "shape"]),
    ],
)
def test_refusals_name_their_place(random: Any, status: int, loc: list[str]) -> None:
    with TestClient(create_app(Settings(max_random=100))) as client:
        answer = client.post("/api/attention", json={"x": {"random": random}})
    assert answer.status_code == status, answer.text
    assert answer.json()["errors"][0]["loc"] == loc
    if status == 413:
        assert "ATTENTION_MAX_RANDOM" in answer.text and "100" in answer.text


def test_a_window_of_many_tokens_needs_a_small_request(client: TestClient) -> None:
    qkv = {name: {"random": {"shape": [20_011, 8], "seed": 1, "kind": "waves"}} for name in "qkv"}
    body = {"spec": qkv, "stage": "weights", "rows": [0, 300], "max_rows": 30, "max_cols": 40}
    answer = client.post("/api/view?encoding=base64", json=body)
    assert answer.status_code == 200, answer.text
    assert array(answer.json()["z"]).shape == (30, 40)
