"""POST /api/compare: differences of two runs against the two runs themselves."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.wire import array, listed

HAND_WORKED = {
    "q": [[1, 0], [0, 1], [1, 1]],
    "k": [[1, 0], [0, 1], [1, 1]],
    "v": [[1, 0], [0, 2], [1, 1]],
}


def vectors(T: int, E: int) -> Any:
    return np.random.default_rng(7).standard_normal((T, E)).tolist()


def compared(client: TestClient, body: dict[str, Any], **query: str) -> Any:
    answer = client.post("/api/compare", json=listed(body), params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_difference_is_a_minus_b_with_its_largest_and_first_cell(client: TestClient) -> None:
    b = {**HAND_WORKED, "v": [[1, 0], [0, 2], [1, 1.5]]}
    stages = compared(client, {"a": HAND_WORKED, "b": b})["stages"]
    expected = np.zeros((1, 1, 3, 2))
    expected[0, 0, 2, 1] = -0.5
    assert array(stages["v"]["difference"]).tolist() == expected.tolist()
    assert stages["v"]["max_abs"] == 0.5
    assert stages["v"]["mean_abs"] == pytest.approx(0.5 / 6)
    assert stages["v"]["at"] == stages["v"]["first"] == [0, 0, 2, 1]
    assert stages["weights"]["first"] is None
    assert stages["weights"]["max_abs"] == 0


def test_first_is_row_major_and_at_is_the_largest(client: TestClient) -> None:
    b = {**HAND_WORKED, "v": [[1, 0.25], [0, 2], [4, 1]]}
    v = compared(client, {"a": HAND_WORKED, "b": b})["stages"]["v"]
    assert v["first"] == [0, 0, 0, 1]
    assert v["at"] == [0, 0, 2, 0]
    assert v["max_abs"] == 3


def test_equal_infinities_differ_by_nothing_and_new_ones_by_infinity(client: TestClient) -> None:
    masked = {**HAND_WORKED, "masks": [{"kind": "causal"}]}
    same = compared(client, {"a": masked, "b": masked})["stages"]["masked_scores"]
    assert same["max_abs"] == 0 and same["first"] is None
    apart = compared(client, {"a": masked, "b": HAND_WORKED})["stages"]["masked_scores"]
    assert apart["max_abs"] == "Infinity" and apart["first"] == [0, 0, 0, 1]
    assert apart["difference"][0][0][0][1] == "-Infinity"


def test_a_number_against_nan_is_the_worst_cell(client: TestClient) -> None:
    b = {**HAND_WORKED, "v": [[1, 0], ["NaN", 2], [100, 1]]}
    v = compared(client, {"a": HAND_WORKED, "b": b})["stages"]["v"]
    assert v["max_abs"] == "NaN" and v["at"] == [0, 0, 1, 0]


def test_stages_of_other_shapes_say_why(client: TestClient) -> None:
    x = vectors(3, 6)
    found = compared(client, {"a": {"x": x, "num_heads": 2}, "b": {"x": x, "num_heads": 3}})
    assert "output" in found["stages"]
    assert "[1][2][3][3]" in found["incomparable"]["weights"]
    assert "[1][3][3][3]" in found["incomparable"]["weights"]


def test_a_refusal_names_the_side(client: TestClient) -> None:
    body = {"a": {"x": vectors(2, 4)}, "b": {"x": vectors(2, 4), "num_heads": 3}}
    answer = client.post("/api/compare", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["b", "num_heads"]


@pytest.mark.parametrize("encoding", ["list", "base64"])
def test_include_adds_the_tensors_of_both_runs(client: TestClient, encoding: str) -> None:
    b = {**HAND_WORKED, "scale": 1.0}
    found = compared(client, {"a": HAND_WORKED, "b": b}, include="scores", encoding=encoding)
    difference = array(found["a"]["scores"]) - array(found["b"]["scores"])
    np.testing.assert_allclose(
        array(found["stages"]["scores"]["difference"]), difference, rtol=1e-6, atol=1e-7
    )
    assert array(found["b"]["scores"])[0, 0, 2, 2] == 2


def test_include_says_what_both_runs_are(client: TestClient) -> None:
    a = {"x": vectors(5, 6), "num_heads": 6, "masks": [{"kind": "causal"}]}
    found = compared(client, {"a": a, "variant": {"num_kv_heads": 2}}, include="k")
    assert "runs" not in compared(client, {"a": a, "variant": "mask_off"})
    alone = client.post("/api/attention", json=a).json()
    for name in ("layout", "steps", "tokens", "masks"):
        assert found["runs"]["a"][name] == alone[name]
    assert found["runs"]["b"]["layout"]["kv_head_of"] == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("variant", "change"),
    [
        ("mask_off", {"masks": []}),
        ("mask_after_softmax", {"mask_order": "after_softmax"}),
        ("scale_off", {"scale": 1.0}),
        ("other_alignment", {"masks": [{"kind": "causal", "alignment": "bottom_right"}]}),
    ],
)
def test_a_variant_is_the_same_as_writing_it_out(
    client: TestClient, variant: str, change: dict[str, Any]
) -> None:
    a = {"x": vectors(3, 4), "memory": vectors(5, 4), "num_heads": 2, "masks": [{"kind": "causal"}]}
    short = compared(client, {"a": a, "variant": variant})
    assert short == compared(client, {"a": a, "b": {**a, **change}})
    assert short["stages"]["weights"]["max_abs"] > 0


def test_merged_heads_of_direct_keys_are_means_over_each_group(client: TestClient) -> None:
    rng = np.random.default_rng(3)
    q, k, v = (rng.standard_normal((4, 5, 3)) for _ in range(3))
    a = {"q": q, "k": k, "v": v, "dtype": "float64"}
    means = [heads.reshape(2, 2, 5, 3).mean(1) for heads in (k, v)]
    b = {**a, "k": means[0], "v": means[1]}
    short = compared(client, {"a": a, "variant": {"num_kv_heads": 2}})
    written = compared(client, {"a": a, "b": b})
    for name in ("scores", "weights", "output"):
        np.testing.assert_allclose(
            array(short["stages"][name]["difference"]),
            array(written["stages"][name]["difference"]),
            atol=1e-12,
        )


def test_merged_projections_give_the_mean_of_the_projected_heads(client: TestClient) -> None:
    a = {"x": vectors(5, 6), "num_heads": 6, "num_kv_heads": 3, "dtype": "float64"}
    found = compared(client, {"a": a, "variant": {"num_kv_heads": 1}}, include="k,v,q")
    for name in ("k", "v"):
        mean = array(found["a"][name]).mean(1, keepdims=True)
        np.testing.assert_allclose(array(found["b"][name]), mean, atol=1e-12)
    assert found["stages"]["q"]["max_abs"] == 0


def test_merging_needs_a_divisor_and_names_those_that_fit(client: TestClient) -> None:
    body = {"a": {"x": vectors(2, 4), "num_heads": 4}, "variant": {"num_kv_heads": 3}}
    error = client.post("/api/compare", json=body).json()["errors"][0]
    assert error["loc"] == ["variant", "num_kv_heads"]
    assert "1, 2, 4" in error["message"]


@pytest.mark.parametrize("other", [{}, {"b": HAND_WORKED, "variant": "mask_off"}])
def test_one_other_run_is_needed(client: TestClient, other: dict[str, Any]) -> None:
    answer = client.post("/api/compare", json={"a": HAND_WORKED, **other})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["b"]
