"""POST /api/readings: the readings of the library over HTTP, one in full."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.wire import array

ONES = [[1, 0, 1], [0, 1, 1]]
SPEC = {
    "q": [[1.0, 0.0], [0.0, 1.0]],
    "k": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]],
    "v": [[1.0], [2.0], [4.0]],
    "masks": [{"kind": "matrix", "values": ONES, "convention": "blocked"}],
}


def asked(client: TestClient, query: dict[str, str] | None = None, **body: Any) -> dict[str, Any]:
    answer = client.post("/api/readings", json={"spec": SPEC, **body}, params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_an_array_has_three_readings(client: TestClient) -> None:
    found = asked(client, subject="array")
    assert [reading["name"] for reading in found["readings"]] == ["allowed", "blocked", "additive"]
    assert [reading["same"] for reading in found["readings"]] == [False, True, False]
    assert [reading["hidden_cells"] for reading in found["readings"]] == [2, 0, 0]
    assert [reading["shown_cells"] for reading in found["readings"]] == [4, 0, 4]
    assert found["readings"][2]["fields"] == {
        "masks": [
            {"kind": "matrix", "values": [[[[1, 0, 1], [0, 1, 1]]]], "convention": "additive"}
        ]
    }


def test_one_reading_is_shown_beside_the_run_as_it_is_set(client: TestClient) -> None:
    found = asked(client, {"include": "allowed"}, subject="array", show="allowed")["shown"]
    assert array(found["a"]["allowed"]).tolist() == [[ONES]]
    assert array(found["b"]["allowed"]).tolist() == [[[[0, 1, 0], [1, 0, 0]]]]
    flipped = array(found["stages"]["allowed"]["difference"])
    assert flipped.tolist() == [[[[1, -1, 1], [-1, 1, 1]]]]


def test_the_window_that_was_read_is_told(client: TestClient) -> None:
    assert asked(client, subject="causal")["window"] is None
    assert asked(client, subject="window")["window"] == 2
    own = {**SPEC, "masks": [{"kind": "window", "left": 3, "right": 0}]}
    assert asked(client, subject="window", spec=own)["window"] == 4
    assert asked(client, subject="window", spec=own, window=7)["window"] == 7


def test_a_reading_too_large_to_send_has_no_fields(client: TestClient) -> None:
    """300 × 300 numbers; the counts and the line are there all the same."""
    tokens = [[float(i % 7)] for i in range(300)]
    spec = {"q": tokens, "k": tokens, "v": tokens, "masks": [{"kind": "causal"}]}
    for reading in asked(client, spec=spec, subject="array")["readings"]:
        assert reading["fields"] is None
        assert reading["line"].startswith("heads = ")
    for reading in asked(client, spec=spec, subject="causal")["readings"]:
        assert reading["fields"] is not None


@pytest.mark.parametrize(
    ("body", "loc"),
    [
        ({}, ["subject"]),
        ({"subject": "colour"}, ["subject"]),
        ({"subject": "array", "mask": 1}, ["mask"]),
        ({"subject": "array", "mask": -1}, ["mask"]),
        ({"subject": "window", "window": 0}, ["window"]),
        ({"subject": "causal", "show": "allowed"}, ["show"]),
        ({"subject": "causal", "spec": {**SPEC, "v": [[1.0]]}}, ["spec", "v"]),
    ],
)
def test_what_makes_no_sense_is_refused_at_its_place(
    client: TestClient, body: dict[str, Any], loc: list[str]
) -> None:
    answer = client.post("/api/readings", json={"spec": SPEC, **body})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["loc"] == loc


@pytest.mark.parametrize("window", [1, 2**31])
def test_a_window_of_any_size_is_read(client: TestClient, window: int) -> None:
    found = asked(client, subject="window", window=window)
    assert len(found["readings"]) == 3


def test_every_example_can_be_read(client: TestClient) -> None:
    """But the long ones, whose runs would be too many."""
    for example in client.get("/api/examples").json()["examples"]:
        expected = 413 if example["name"].startswith("long_") else 200
        for subject in ("array", "causal", "window"):
            body = {"spec": example["spec"], "subject": subject}
            answer = client.post("/api/readings", json=body)
            assert answer.status_code == expected, (example["name"], answer.text)
