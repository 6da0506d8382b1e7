"""POST /api/inspect: every number of one cell, against NumPy written from the formula."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.wire import array, listed

T, S, D, DV = 3, 5, 2, 7
RNG = np.random.default_rng(17)
Q = RNG.standard_normal((2, 4, T, D))
K = RNG.standard_normal((2, 2, S, D))
V = RNG.standard_normal((2, 2, S, DV))
BIAS = RNG.standard_normal((4, T, S))
SINKS = [0.5, -0.25, 1.5, 0.0]
SPEC = {
    "q": Q, "k": K, "v": V, "dtype": "float64", "scale": 0.3, "softcap": 0.7, "sinks": SINKS,
    "biases": [{"kind": "matrix", "values": BIAS}],
    "masks": [{"kind": "causal", "offset": 1}, {"kind": "padding", "lengths": [5, 2]}],
}  # fmt: skip


def inspected(client: TestClient, spec: dict[str, Any], **place: Any) -> dict[str, Any]:
    answer = client.post("/api/inspect", json=listed({"spec": spec, **place}))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.parametrize(("b", "h", "i", "j"), [(0, 0, 2, 1), (1, 3, 1, 0), (1, 2, 0, 4)])
def test_each_number_follows_from_the_one_before(
    client: TestClient, b: int, h: int, i: int, j: int
) -> None:
    found = inspected(client, SPEC, batch=b, head=h, query=i, key=j)
    q, keys, values = Q[b, h, i], K[b, h // 2], V[b, h // 2]
    capped = 0.7 * np.tanh(keys @ q * 0.3 / 0.7)
    scores = capped + BIAS[h, i]
    length = [5, 2][b]
    seen = (np.arange(S) <= i + 1) & (np.arange(S) < length)
    masked = np.where(seen, scores, -np.inf)
    top = max(masked.max(), SINKS[h])
    exponentials = np.exp(masked - top)
    denominator = exponentials.sum() + np.exp(SINKS[h] - top)
    weights = exponentials / denominator
    close = pytest.approx
    assert found["q"] == close(q) and found["k"] == close(keys[j])
    assert found["products"] == close(q * keys[j])
    assert found["dot_product"] == close(q @ keys[j])
    assert (found["scale"], found["scaled"]) == (0.3, close(q @ keys[j] * 0.3))
    assert found["capped"] == close(capped[j])
    assert found["biases"] == [close(BIAS[h, i, j])]
    assert found["score"] == close(scores[j])
    assert [m["visible"] for m in found["masks"]] == [j <= i + 1, j < length]
    np.testing.assert_allclose(array(found["masked_scores"]), masked, atol=1e-12)
    assert (found["maximum"], found["denominator"]) == (close(top), close(denominator))
    np.testing.assert_allclose(found["exponentials"], exponentials, atol=1e-12)
    np.testing.assert_allclose(found["weights"], weights, atol=1e-12)
    assert found["weight"] == close(weights[j])
    assert found["logsumexp"] == close(top + np.log(denominator))
    np.testing.assert_allclose(found["contributions"], weights[:, None] * values, atol=1e-12)
    np.testing.assert_allclose(found["total"], weights @ values, atol=1e-12)


def test_the_cell_equals_the_whole_answer(client: TestClient) -> None:
    spec = {"x": RNG.standard_normal((5, 6)), "num_heads": 3, "dropout": {"p": 0.4, "seed": 9}}
    whole = client.post("/api/attention", json=listed(spec)).json()["tensors"]
    for i in range(5):
        found = inspected(client, spec, head=1, query=i, key=2)
        assert found["score"] == pytest.approx(whole["scores"][0][1][i][2], rel=1e-6)
        np.testing.assert_allclose(found["weights"], whole["weights"][0][1][i], rtol=1e-6)
        dropped = whole["dropped_weights"][0][1][i]
        np.testing.assert_allclose(found["dropped_weights"], dropped, rtol=1e-6)
        np.testing.assert_allclose(found["total"], whole["heads"][0][1][i], rtol=1e-5, atol=1e-6)


def test_a_row_that_sees_nothing_keeps_its_infinities(client: TestClient) -> None:
    spec = {"x": [[1.0, 2.0], [3.0, 4.0]], "masks": [{"kind": "padding", "lengths": [0]}]}
    found = inspected(client, spec, query=1, key=0)
    assert found["maximum"] == found["masked_score"] == "-Infinity"
    assert found["weight"] == 0 and found["exponentials"] == [0, 0]


@pytest.mark.parametrize(
    ("place", "name"),
    [({"query": 3, "key": 0}, "query"), ({"query": 0, "key": 5}, "key"),
     ({"query": 0, "key": 0, "head": 4}, "head"), ({"query": 0, "key": 0, "batch": 2}, "batch")],
)  # fmt: skip
def test_a_place_that_is_not_there_is_refused_by_name(
    client: TestClient, place: dict[str, int], name: str
) -> None:
    answer = client.post("/api/inspect", json=listed({"spec": SPEC, **place}))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == [name]


def test_a_refusal_inside_the_specification_says_so(client: TestClient) -> None:
    body = {"spec": {"x": [[1, 2, 3]], "num_heads": 2}, "query": 0, "key": 0}
    answer = client.post("/api/inspect", json=body)
    assert answer.json()["errors"][0]["loc"] == ["spec", "num_heads"]


def test_some_keys_of_a_row_are_told_as_in_the_whole_row(client: TestClient) -> None:
    place = {"batch": 1, "head": 2, "query": 2, "key": 4}
    whole = inspected(client, SPEC, **place)
    part = inspected(client, SPEC, **place, keys=[1, 4])
    assert (whole["keys"], part["keys"]) == ([0, S], [1, 4])
    for name in ("masked_scores", "exponentials", "weights", "contributions"):
        assert part[name] == whole[name][1:4], name
    for name in ("weight", "logsumexp", "denominator", "total", "masked_score"):
        assert part[name] == whole[name], name


def test_a_row_of_65536_keys_is_told_around_its_cell_and_sums_over_all(client: TestClient) -> None:
    """q = 0, so each of the visible keys has the weight 1 / visible, and the output is a mean."""
    N, query = 65_536, 40_000
    spec = {
        "q": {"random": {"shape": [N, 2]}}, "k": {"random": {"shape": [N, 2]}},
        "v": {"random": {"shape": [N, 2], "kind": "waves"}}, "scale": 0.0,
        "masks": [{"kind": "causal"}],
    }  # fmt: skip
    found = inspected(client, spec, query=query, key=query, keys=[query - 2, query + 3])
    np.testing.assert_allclose(found["weights"], [1 / (query + 1)] * 3 + [0, 0], rtol=1e-5)
    assert found["denominator"] == pytest.approx(query + 1, rel=1e-6)


@pytest.mark.parametrize("keys", [[3, 3], [0, S + 1], [-1, 2], [2]])
def test_keys_that_are_no_range_of_the_row_are_refused(client: TestClient, keys: list[int]) -> None:
    body = {"spec": SPEC, "query": 0, "key": 0, "keys": keys}
    answer = client.post("/api/inspect", json=listed(body))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["keys"]
