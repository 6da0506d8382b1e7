"""POST /api/describe: what /api/attention says of a run, without computing it."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.wire import listed

RNG = np.random.default_rng(23)
X = RNG.standard_normal((2, 5, 6))
SPECS: dict[str, dict[str, Any]] = {
    "bare": {"x": X[0], "num_heads": 3},
    "masks alike in all heads": {"x": X, "num_heads": 3, "masks": [{"kind": "causal"}]},
    "a mask for each head": {
        "x": X, "num_heads": 2, "head_dim": 7,
        "masks": [{"kind": "matrix", "values": np.ones((2, 5, 5)), "convention": "allowed"}],
    },
    "grouped, cross, normed, rotated": {
        "x": X, "memory": RNG.standard_normal((2, 7, 11)), "num_heads": 4, "num_kv_heads": 2,
        "head_dim": 2, "value_dim": 3, "qk_norm": {}, "rope": {"style": "half"},
        "biases": [{"kind": "alibi"}], "softcap": 3.0,
    },
    "heads with a cache": {
        "q": RNG.standard_normal((4, 3, 2)), "k": RNG.standard_normal((2, 3, 2)),
        "v": RNG.standard_normal((2, 3, 5)), "past_k": RNG.standard_normal((2, 11, 2)),
        "past_v": RNG.standard_normal((2, 11, 5)), "masks": [{"kind": "window", "left": 2}],
    },
    "dropout, late masks": {
        "x": X, "num_heads": 2, "dropout": {"p": 0.5, "seed": 1},
        "masks": [{"kind": "causal"}], "mask_order": "after_softmax",
    },
    "an input that is not finite": {"x": [[1.0, "NaN"], [0.0, 1.0]]},
}  # fmt: skip


def described(client: TestClient, spec: dict[str, Any]) -> Any:
    answer = client.post("/api/describe", json=listed({"spec": spec}))
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("name", SPECS)
def test_it_says_what_the_whole_answer_says(client: TestClient, name: str) -> None:
    found = described(client, SPECS[name])
    whole = client.post("/api/attention?include=q", json=listed(SPECS[name])).json()
    for step in whole["steps"]:
        step["min"] = step["max"] = None
    assert found["steps"] == whole["steps"]
    for part in ("layout", "masks"):
        assert found[part] == whole[part]
    for side, lists in whole["tokens"].items():
        told = found["tokens"][side]
        assert [told[min(b, len(told) - 1)] for b in range(len(lists))] == lists
    of_input = [warning for warning in whole["warnings"] if warning["code"] == "non_finite_input"]
    assert found["warnings"] == of_input


def test_labels_of_each_sequence_are_told_where_they_differ(client: TestClient) -> None:
    spec = {"x": X, "tokens": [list("abcde"), list("fghij")]}
    assert described(client, spec)["tokens"]["queries"] == [list("abcde"), list("fghij")]


def test_131072_tokens_are_described_and_not_computed() -> None:
    spec = {"x": {"random": {"shape": [131_072, 2]}}, "masks": [{"kind": "causal"}]}
    with TestClient(create_app(Settings(max_cells=1, max_products=1))) as client:
        found = described(client, spec)
    shapes = {step["name"]: step["shape"] for step in found["steps"]}
    assert shapes["weights"] == [1, 1, 131_072, 131_072]
    assert found["tokens"]["keys"] == [[f"t{i}" for i in range(131_072)]]


def test_refusals_name_their_place(client: TestClient) -> None:
    answer = client.post("/api/describe", json={"spec": {"x": [[1, 2, 3]], "num_heads": 2}})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == ["spec", "num_heads"]
