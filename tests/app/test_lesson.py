"""/api/lesson: every state of the lesson computes, and the numbers that only it asks for."""

import math
from typing import Any

import pytest
import torch
from fastapi.testclient import TestClient

from tests.wire import array, listed

SPEC: dict[str, Any] = {
    "q": [[3, 0], [0, 3], [2, 2]],
    "k": [[2, 0], [0, 2], [1, 1]],
    "v": [[1, 0], [0, 1], [1, 1]],
    "masks": [{"kind": "causal"}],
}


def steps(client: TestClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get("/api/lesson").json()["steps"]
    return found


def asked(client: TestClient, route: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(f"/api/lesson/{route}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_every_state_of_the_lesson_computes_and_has_what_it_shows(client: TestClient) -> None:
    tried = 0
    for step in steps(client):
        view = step["view"]
        include = "blocked_by" if view["stage"] == "allowed" else view["stage"]
        for spec in [step["spec"], *(each["spec"] for each in step["tries"])]:
            answer = client.post(f"/api/attention?include={include}", json=spec)
            assert answer.status_code == 200, (step["name"], answer.text)
            *_, rows, columns = array(answer.json()["tensors"][include]).shape
            layout = answer.json()["layout"]
            assert view["head"] < layout["num_heads"]
            if view["cell"]:
                assert view["cell"]["query"] < rows and view["cell"]["key"] < columns
            tried += 1
    assert tried >= 50


def test_every_step_has_a_name_of_its_own_and_something_to_try(client: TestClient) -> None:
    found = steps(client)
    names = [step["name"] for step in found]
    assert len(set(names)) == len(names) == 19
    for step in found:
        assert step["tries"], step["name"]
        tries = [each["spec"] for each in step["tries"]]
        assert step["spec"] not in tries, step["name"]
        assert len({str(spec) for spec in tries}) == len(tries), step["name"]


def test_scores_of_random_vectors_spread_with_their_width(client: TestClient) -> None:
    found = asked(client, "scaling", {"widths": [4, 64, 512]})["widths"]
    assert [each["width"] for each in found] == [4, 64, 512]
    for each in found:
        assert each["plain"]["variance"] == pytest.approx(each["width"], rel=0.15)
        assert each["scaled"]["variance"] == pytest.approx(1, rel=0.15)


def test_rows_of_scores_answer_their_softmax_and_its_derivative(client: TestClient) -> None:
    (row,) = asked(client, "softmax", {"rows": [[math.log(2), math.log(3), math.log(5)]]})["rows"]
    assert row["weights"] == pytest.approx([0.2, 0.3, 0.5])
    assert row["derivative"][0] == pytest.approx([0.2 * 0.8, -0.2 * 0.3, -0.2 * 0.5])
    assert row["largest"] == pytest.approx(0.25)


def test_tiles_answer_what_torchs_function_answers(client: TestClient) -> None:
    found = asked(client, "tiles", {"spec": SPEC, "tile": 2})
    q, k, v = (torch.tensor(SPEC[name], dtype=torch.float32)[None, None] for name in "qkv")
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    torch.testing.assert_close(torch.tensor(found["heads"]), expected, rtol=0, atol=1e-6)
    assert (found["tiles"], found["cells"], found["full_cells"]) == (4, 4, 9)
    assert 0 <= found["max_abs_difference"] < 1e-6


def test_linear_attention_answers_by_its_own_formula(client: TestClient) -> None:
    """Row 1 by hand: phi(q) = (1, 4), phi(k) = (3, 1) and (1, 3), so 7 and 13 of 20."""
    found = asked(client, "linear", {"spec": SPEC})
    assert found["weights"][0][0][1] == pytest.approx([7 / 20, 13 / 20, 0])
    assert found["heads"][0][0][1] == pytest.approx([7 / 20, 13 / 20])
    assert found["max_abs_difference"]["reordered"] < 1e-6
    # softmax of (0, 6/√2) leaves key 0 little
    share = 1 / (1 + math.exp(6 / math.sqrt(2)))
    assert found["max_abs_difference"]["weights"] >= 7 / 20 - share - 1e-6
    assert found["kept"] == {"numbers": 2 * (2 + 1), "cache": 3 * (2 + 2)}


def test_masks_without_a_running_sum_are_told(client: TestClient) -> None:
    window = {"kind": "window", "left": 1, "right": 0}
    found = asked(client, "linear", {"spec": {**SPEC, "masks": [window]}})
    assert found["reordered"] is None
    assert found["max_abs_difference"]["reordered"] is None


def test_nan_is_written_by_its_name(client: TestClient) -> None:
    broken = {**SPEC, "v": [["NaN", 0], [0, 1], [1, 1]], "masks": []}
    for route in ("tiles", "linear"):
        answer = asked(client, route, {"spec": broken})
        assert answer["heads"][0][0][0][0] == "NaN"


LONG = {"random": {"shape": [65, 2]}}
REFUSED: list[tuple[str, dict[str, Any], list[Any], int]] = [
    ("scaling", {"widths": []}, ["widths"], 422),
    ("scaling", {"widths": [0]}, ["widths", 0], 422),
    ("scaling", {"widths": [4], "seed": -1}, ["seed"], 422),
    ("scaling", {"widths": [4], "rows": 1, "keys": 1}, ["rows"], 422),
    ("scaling", {"widths": [4096] * 4, "rows": 4096, "keys": 64}, ["widths"], 413),
    ("softmax", {"rows": []}, ["rows"], 422),
    ("softmax", {"rows": [[]]}, ["rows", 0], 422),
    ("softmax", {"rows": [["NaN"]]}, ["rows", 0, 0], 422),
    ("softmax", {"rows": [[1, 2]] * 257}, ["rows"], 422),
    ("tiles", {"spec": SPEC, "tile": 0}, ["tile"], 422),
    ("tiles", {"spec": {"q": LONG, "k": LONG, "v": LONG}, "tile": 1}, ["tile"], 422),
    ("tiles", {"spec": {**SPEC, "scale": "x"}}, ["spec", "scale"], 422),
    ("linear", {"spec": {**SPEC, "num_kv_heads": 3}}, ["spec", "num_kv_heads"], 422),
    ("linear", {}, ["spec"], 422),
    ("linear", {"spec": SPEC, "unknown": 1}, ["unknown"], 422),
]


@pytest.mark.parametrize(("route", "body", "loc", "status"), REFUSED)
def test_what_makes_no_sense_is_refused_at_its_place(
    client: TestClient, route: str, body: dict[str, Any], loc: list[Any], status: int
) -> None:
    answer = client.post(f"/api/lesson/{route}", json=listed(body))
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"][0]["loc"] == loc
