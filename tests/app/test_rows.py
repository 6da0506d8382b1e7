"""POST /api/rows over HTTP."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.wire import array

SPEC = {
    "x": np.random.default_rng(4).standard_normal((2, 11, 6)).tolist(),
    "num_heads": 3,
    "masks": [{"kind": "causal"}, {"kind": "padding", "lengths": [11, 7]}],
}
NAMES = ("entropy", "mean_distance", "first_key_weight", "largest_weight")


@pytest.mark.parametrize("encoding", ["list", "base64"])
def test_the_answer_agrees_with_the_whole_result(client: TestClient, encoding: str) -> None:
    body = {"spec": SPEC, "batch": 1, "heads": [2, 0], "max_rows": 3}
    answer = client.post(f"/api/rows?encoding={encoding}", json=body)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["heads"] == [2, 0] and found["row_edges"] == [0, 4, 8, 11]
    assert found["rows_total"] == 11
    assert array(found["counted"]).tolist() == [[4, 3, 0]] * 2
    whole = client.post(f"/api/attention?include={','.join(NAMES)}", json=SPEC).json()["tensors"]
    for name in NAMES:
        assert array(found["statistics"][name]).shape == (2, 3)
        assert np.isnan(array(found["statistics"][name])[:, 2]).all()
        expected = np.array(whole[name])[1, [2, 0]]
        np.testing.assert_allclose(array(found["means"][name]), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("fields", "loc"),
    [
        ({"batch": 2}, ["batch"]),
        ({"heads": [3]}, ["heads"]),
        ({"heads": []}, ["heads"]),
        ({"rows": [4, 12]}, ["rows"]),
        ({"max_rows": 0}, ["max_rows"]),
        ({"head": 0}, ["head"]),
    ],
)
def test_refusals_name_their_place(
    client: TestClient, fields: dict[str, Any], loc: list[str]
) -> None:
    answer = client.post("/api/rows", json={"spec": SPEC, **fields})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == loc


def test_the_work_is_limited() -> None:
    with TestClient(create_app(Settings(max_products=100))) as client:
        answer = client.post("/api/rows", json={"spec": SPEC})
        assert answer.status_code == 413
        assert "ATTENTION_MAX_PRODUCTS" in answer.json()["detail"]
