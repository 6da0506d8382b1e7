"""POST /api/stability: what the library finds, one trial in full, bounded and refused as all."""

import math
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.wire import array

SPEC = {
    "q": [[12.0, 0.0], [1.0, 2.0]],
    "k": [[1.0, 0.0], [0.0, 1.0]],
    "v": [[1.0], [2.0]],
    "scale": 1.0,
    "masks": [{"kind": "padding", "lengths": [1]}],
}
NAMES = [
    "float32", "float16", "bfloat16",
    "plain float64", "plain float32", "plain float16", "plain bfloat16",
    "set -inf", "set -1e9", "set -1e4", "set min",
    "added -inf", "added -1e9", "added -1e4", "added min",
]  # fmt: skip


def asked(client: TestClient, query: dict[str, str] | None = None, **body: Any) -> dict[str, Any]:
    answer = client.post("/api/stability", json={"spec": SPEC, **body}, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_every_trial_is_told_in_order(client: TestClient) -> None:
    found = asked(client)
    assert [trial["name"] for trial in found["trials"]] == NAMES
    assert found["dtype"] == "float16"
    assert found["shown"] is None


def test_numbers_that_are_not_finite_are_written_by_name(client: TestClient) -> None:
    """exp(12) = 162,755 leaves float16; the fill −Infinity is no JSON number."""
    trials = {trial["name"]: trial for trial in asked(client)["trials"]}
    event = trials["plain float16"]["events"][0]
    assert {key: event[key] for key in ("stage", "kind", "count", "first")} == {
        "stage": "exponentials", "kind": "overflow", "count": 1, "first": [0, 0, 0, 0],
    }  # fmt: skip
    assert event["exact"] == pytest.approx(math.exp(12), rel=1e-12)
    assert trials["plain float16"]["stages"]["weights"]["max_abs"] == "NaN"
    assert trials["set -inf"]["fill"] == "-Infinity"
    assert trials["set -inf"]["fields"] == {"dtype": "float16", "fill": "-Infinity"}
    assert trials["set min"]["fill"] == -65_504


def test_one_trial_is_shown_as_a_comparison_with_float64(client: TestClient) -> None:
    found = asked(client, {"include": "weights"}, show="plain float16")["shown"]
    assert array(found["b"]["weights"]).tolist() == [[[[1, 0], [1, 0]]]]
    theirs = array(found["a"]["weights"])
    assert np.isnan(theirs[0, 0, 0, 0]) and theirs[0, 0, 1].tolist() == [1, 0]
    apart = array(found["stages"]["weights"]["difference"])
    assert np.isnan(apart[0, 0, 0, 0]) and apart[0, 0, 1].tolist() == [0, 0]


def test_the_dtype_of_the_fills_is_chosen(client: TestClient) -> None:
    trials = {trial["name"]: trial for trial in asked(client, dtype="bfloat16")["trials"]}
    assert trials["set -1e9"]["dtype"] == "bfloat16"
    assert trials["set -1e9"]["events"] == []
    assert trials["set min"]["fill"] == pytest.approx(-3.3895e38, rel=1e-4)


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({"show": "float8"}, ["show"]),
        ({"dtype": "float8"}, ["dtype"]),
        ({"spec": {**SPEC, "k": [[1.0]]}}, ["spec", "k"]),
        ({"extra": 1}, ["extra"]),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(
    client: TestClient, body: dict[str, Any], loc: list[str]
) -> None:
    answer = client.post("/api/stability", json={"spec": SPEC, **body})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == loc


@pytest.mark.parametrize("route", ["/api/stability", "/api/readings"])
def test_many_runs_have_the_limit_of_a_check(route: str) -> None:
    body = {"spec": SPEC} | ({"subject": "causal"} if route.endswith("readings") else {})
    with TestClient(create_app(Settings(max_check_cells=3))) as client:
        answer = client.post(route, json=body)
    assert answer.status_code == 413
    assert "ATTENTION_MAX_CHECK_CELLS" in answer.text


def test_every_example_can_be_tried(client: TestClient) -> None:
    """But the long ones, whose runs would be too many."""
    for example in client.get("/api/examples").json()["examples"]:
        expected = 413 if example["name"].startswith("long_") else 200
        for dtype in ("float64", "float16"):
            body = {"spec": example["spec"], "dtype": dtype}
            answer = client.post("/api/stability", json=body)
            assert answer.status_code == expected, (example["name"], answer.text)
