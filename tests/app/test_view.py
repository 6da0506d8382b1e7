"""POST /api/view over HTTP: the answer's form, both encodings, refusals."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.wire import array

T = 13
SPEC = {
    "x": np.random.default_rng(1).standard_normal((2, T, 6)).tolist(),
    "num_heads": 3,
    "masks": [{"kind": "causal"}],
}


def viewed(client: TestClient, query: str = "", **fields: Any) -> dict[str, Any]:
    answer = client.post(f"/api/view{query}", json={"spec": SPEC, "stage": "weights", **fields})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_answer_says_what_was_pooled(client: TestClient) -> None:
    found = viewed(client, batch=1, head=2, rows=[1, 12], cols=[0, T], max_rows=4, max_cols=5)
    assert found["row_edges"] == [1, 4, 7, 10, 12]
    assert found["col_edges"] == [0, 3, 6, 9, 12, 13]
    assert found["reduced"] == {"rows": 3, "cols": 3, "how": "max"}
    assert (found["rows_total"], found["cols_total"]) == (T, T)
    assert array(found["z"]).shape == array(found["masked"]).shape == (4, 5)
    whole = client.post("/api/attention", json=SPEC).json()["tensors"]["weights"][1][2]
    expected = np.array(whole)[1:4, 3:6].max()
    assert found["z"][0][1] == pytest.approx(expected, rel=1e-6)
    assert found["masked"][0][1] == pytest.approx(8 / 9)


def test_min_and_max_are_over_finite_numbers(client: TestClient) -> None:
    found = viewed(client, stage="scores", head=1)
    z = array(found["z"])
    assert np.isinf(z).any()
    finite = z[np.isfinite(z)]
    assert found["min"] == pytest.approx(finite.min()) and found["max"] == pytest.approx(
        finite.max()
    )


def test_both_encodings_hold_the_same_numbers(client: TestClient) -> None:
    lists, typed = viewed(client, head=1), viewed(client, "?encoding=base64", head=1)
    for name in ("z", "masked"):
        np.testing.assert_array_equal(array(lists[name]).astype(np.float32), array(typed[name]))
    assert typed["row_edges"] == list(range(T + 1))


@pytest.mark.parametrize(
    ("fields", "loc"),
    [
        ({"rows": [3, 3]}, ["rows"]),
        ({"cols": [0, T + 1]}, ["cols"]),
        ({"rows": [5]}, ["rows"]),
        ({"stage": "wieghts"}, ["stage"]),
        ({"head": 3}, ["head"]),
        ({"max_rows": 0}, ["max_rows"]),
        ({"reduce": "min"}, ["reduce"]),
        ({"window": 3}, ["window"]),
        ({"spec": {"x": [[1, 2, 3]], "num_heads": 2}}, ["spec", "num_heads"]),
    ],
)
def test_refusals_name_their_place(
    client: TestClient, fields: dict[str, Any], loc: list[str]
) -> None:
    answer = client.post("/api/view", json={"spec": SPEC, "stage": "weights", **fields})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == loc


def test_a_range_outside_is_refused_as_such_however_large(client: TestClient) -> None:
    body = {"spec": SPEC, "stage": "weights", "rows": [0, 10**9]}
    answer = client.post("/api/view", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["rows"]


def test_the_largest_picture_may_be_asked_of_a_small_input(client: TestClient) -> None:
    assert len(viewed(client, max_rows=4096, max_cols=4096)["z"]) == T


def test_a_long_input_needs_no_square_of_cells() -> None:
    spec = {"x": np.ones((300, 2)).tolist(), "num_heads": 1}
    with TestClient(create_app(Settings(max_cells=4096))) as client:
        assert client.post("/api/attention", json=spec).status_code == 413
        body = {"spec": spec, "stage": "weights", "max_rows": 64, "max_cols": 64}
        assert client.post("/api/view", json=body).status_code == 200


def test_the_work_of_a_window_is_limited() -> None:
    spec = {"x": np.ones((30, 2)).tolist(), "num_heads": 1}
    with TestClient(create_app(Settings(max_products=1000))) as client:
        answer = client.post("/api/view", json={"spec": spec, "stage": "weights"})
        assert answer.status_code == 413
        assert "ATTENTION_MAX_PRODUCTS" in answer.json()["detail"]
