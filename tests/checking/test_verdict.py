"""Pass or fail per tensor: tolerance, places, shapes, numbers that are not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.checking.asking import checked, noise
from tests.wire import array, listed, typed

Q = [[1, 0], [0, 1], [1, 1]]
SPEC: dict[str, Any] = {"q": Q, "k": Q, "v": [[1, 0], [0, 2], [1, 1]]}
LAST_ROW = [0.24825508, 0.24825508, 0.50348984]
"""exp(1/√2), exp(1/√2), exp(√2) over their sum."""


def weights(**changes: Any) -> Any:
    """The right weights by hand, with the cells named ``r_c`` changed."""
    a, b = np.exp(2**-0.5), 1.0
    rows = np.array([[a, b, a], [b, a, a], LAST_ROW])
    rows /= rows.sum(1, keepdims=True)
    for place, value in changes.items():
        row, column = map(int, place.strip("_").split("_"))
        rows[row, column] = value
    return rows[None, None]


def test_right_numbers_pass_with_what_is_left_and_no_cause(client: TestClient) -> None:
    answer = checked(client, SPEC, {"weights": weights()})
    assert answer["pass"]
    found = answer["tensors"]["weights"]
    assert found["pass"]
    assert found["max_abs"] < 1e-6
    assert found["first_bad"] is None
    assert found["bad_cells"] == 0
    assert answer["causes"] == []


def test_worst_and_first_bad_cell_are_told_apart(client: TestClient) -> None:
    wrong = weights(_0_2=0.5, _2_1=0.9)
    found = checked(client, SPEC, {"weights": wrong})["tensors"]["weights"]
    assert not found["pass"]
    assert found["first_bad"] == [0, 0, 0, 2]
    assert found["worst"] == [0, 0, 2, 1]
    assert found["expected"] == pytest.approx(0.9)
    assert found["got"] == pytest.approx(LAST_ROW[1], abs=1e-6)
    assert found["max_abs"] == pytest.approx(0.9 - LAST_ROW[1], abs=1e-6)
    assert found["bad_cells"] == 2


@pytest.mark.parametrize(("off", "passes"), [(0.9, True), (1.1, False)])
def test_a_cell_passes_up_to_atol_plus_rtol_times_the_expected_number(
    client: TestClient, off: float, passes: bool
) -> None:
    rtol, atol, right = 1e-2, 3e-3, LAST_ROW[2]
    given = right + off * (atol + rtol * right)
    answer = checked(client, SPEC, {"weights": weights(_2_2=given)}, rtol=rtol, atol=atol)
    assert answer["pass"] is passes
    assert (answer["rtol"], answer["atol"]) == (rtol, atol)


@pytest.mark.parametrize(
    ("dtype", "stored", "rtol"),
    [
        ("float64", None, 1e-7),
        ("float32", None, 1e-4),
        ("float64", "f4", 1e-4),
        ("float32", "f2", 1e-2),
        ("bfloat16", None, 5e-2),
    ],
)
def test_default_tolerance_is_that_of_the_coarsest_numbers(
    client: TestClient, dtype: str, stored: str | None, rtol: float
) -> None:
    given = weights() if stored is None else typed(weights(), stored)
    answer = checked(client, SPEC | {"dtype": dtype}, {"weights": given})
    assert answer["rtol"] == rtol
    assert answer["pass"]


def test_another_shape_fails_and_says_both(client: TestClient) -> None:
    answer = checked(client, SPEC, {"weights": weights()[0], "output": noise(1, 3, 2)})
    found = answer["tensors"]["weights"]
    assert not answer["pass"]
    assert found["pass"] is False
    assert "[1][1][3][3]" in found["why"]
    assert "[1][3][3]" in found["why"]
    assert found["worst"] is found["max_abs"] is None


@pytest.mark.parametrize("shape", [(1,), (3,), (3, 3), (2, 3, 3), (1, 1, 3, 5), (1, 1, 7, 3)])
def test_no_shape_is_an_error(client: TestClient, shape: tuple[int, ...]) -> None:
    for name in ("weights", "output", "q", "logsumexp", "allowed", "blocked_by", "dot_products"):
        answer = checked(client, SPEC, {name: noise(*shape)})
        assert answer["pass"] is False


def test_every_tensor_of_an_answer_can_be_given_and_passes(client: TestClient) -> None:
    spec = SPEC | {"masks": [{"kind": "causal"}], "dropout": {"p": 0.5, "seed": 3}}
    names = "q,k,v,dot_products,scores,masked_scores,weights,dropped_weights,heads,output"
    names += ",allowed,blocked_by,logsumexp"
    body = client.post("/api/attention", json=spec, params={"include": names}).json()
    assert checked(client, spec, body["tensors"])["pass"]


def test_equal_infinities_pass_and_a_finite_number_in_their_place_does_not(
    client: TestClient,
) -> None:
    spec = SPEC | {"masks": [{"kind": "causal"}]}
    right = array(client.post("/api/attention", json=spec).json()["tensors"]["masked_scores"])
    assert np.isinf(right).any()
    assert checked(client, spec, {"masked_scores": right})["pass"]
    finite = np.where(np.isinf(right), -1e9, right)
    found = checked(client, spec, {"masked_scores": finite})["tensors"]["masked_scores"]
    assert not found["pass"]
    assert found["first_bad"] == [0, 0, 0, 1]
    assert found["max_abs"] == "Infinity"
    assert (found["expected"], found["got"]) == (-1e9, "-Infinity")


def test_nan_passes_where_both_have_it_alone(client: TestClient) -> None:
    spec = SPEC | {"masks": [{"kind": "padding", "lengths": [0]}], "fully_masked": "nan"}
    nothing = np.full((1, 1, 3, 3), np.nan)
    assert checked(client, spec, {"weights": nothing})["pass"]
    assert checked(client, SPEC, {"weights": nothing})["tensors"]["weights"]["max_abs"] == "NaN"


def test_allowed_may_have_one_head_or_all(client: TestClient) -> None:
    spec = {**SPEC, "q": [Q, Q], "k": [Q, Q], "v": [Q, Q], "masks": [{"kind": "causal"}]}
    triangle = np.tril(np.ones((3, 3), dtype=bool))
    for heads in (1, 2):
        given = np.broadcast_to(triangle, (1, heads, 3, 3))
        assert checked(client, spec, {"allowed": given})["pass"]
    wrong = np.broadcast_to(triangle.T, (1, 2, 3, 3))
    causes = checked(client, spec, {"allowed": wrong})["causes"]
    assert causes[0]["mistake"] == "mask_wrong_axis"


def test_numbers_for_float16_are_compared_at_its_own_precision(client: TestClient) -> None:
    spec = SPEC | {"dtype": "float16", "masks": [{"kind": "causal"}]}
    half = np.float16(array(checked_tensors(client, SPEC)["weights"]))
    causes = checked(client, spec, {"weights": typed(half, "f2")})["causes"]
    assert causes[0]["mistake"] == "mask_missing"


def checked_tensors(client: TestClient, spec: Any) -> Any:
    """The tensors of an answer."""
    return client.post("/api/attention", json=spec).json()["tensors"]


@pytest.mark.parametrize(
    ("change", "loc"),
    [
        ({"expected": {"weihgts": [[1]]}}, ["expected", "weihgts"]),
        ({"expected": {}}, ["expected"]),
        ({"expected": {"weights": [[1], [1, 2]]}}, ["expected", "weights", 1]),
        ({"expected": {"weights": "all"}}, ["expected", "weights"]),
        ({"expected": {"dropped_weights": [[1]]}}, ["expected", "dropped_weights"]),
        ({"rtol": -1}, ["rtol"]),
        ({"atol": "little"}, ["atol"]),
        ({"spec": SPEC | {"num_heads": 3}}, ["spec", "num_heads"]),
        ({"tolerance": 1}, ["tolerance"]),
    ],
)
def test_a_refusal_names_the_place(client: TestClient, change: Any, loc: list[str]) -> None:
    body = {"spec": SPEC, "expected": {"weights": [[[[1]]]]}} | change
    answer = client.post("/api/check", json=listed(body))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == loc


@pytest.mark.parametrize(
    ("setting", "field"), [("max_check_cells", "q"), ("max_check_weights", "projection")]
)
def test_over_a_limit_of_its_own_is_413(setting: str, field: str) -> None:
    small = TestClient(create_app(Settings(**{setting: 8})))
    spec = SPEC if field == "q" else {"x": Q, "num_heads": 1}
    answer = small.post("/api/check", json={"spec": spec, "expected": {"weights": [[[[1]]]]}})
    assert answer.status_code == 413
    assert answer.json()["errors"][0]["loc"] == ["spec", field]
    assert f"ATTENTION_{setting.upper()}" in answer.json()["detail"]


def test_more_rows_than_the_run_has_are_another_shape_and_no_cause(client: TestClient) -> None:
    spec = {"q": [[[1, 0]]], "k": [[[1, 0], [0, 2]]], "v": [[[1, 0], [0, 1]]]}
    wrong = client.post("/api/attention", json={**spec, "scale": 1.0}).json()["tensors"]["weights"]
    row = wrong[0][0][0]
    for given in ([[[row, row]]], [[[row]], [[row]]]):
        answer = client.post("/api/check", json={"spec": spec, "expected": {"weights": given}})
        assert answer.status_code == 200
        assert answer.json()["pass"] is False and answer.json()["causes"] == []
    answer = client.post("/api/check", json={"spec": spec, "expected": {"weights": wrong}})
    assert [cause["mistake"] for cause in answer.json()["causes"]] == ["scale_missing"]
