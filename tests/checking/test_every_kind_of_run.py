"""Every kind of specification can be checked: right numbers pass, noise has no cause."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from app.examples import EXAMPLES
from tests.checking.asking import checked
from tests.wire import array

RUNS: dict[str, dict[str, Any]] = {example["name"]: example["spec"] for example in EXAMPLES}
X = [[0.5, -1, 2, 0.25], [1, 0, -0.5, 1.5], [0.75, 0.1, -1.25, 1]]
RUNS |= {
    "everything": {
        "x": X,
        "num_heads": 2,
        "qk_norm": {"eps": 1e-6},
        "rope": {"style": "half", "positions": [4, 5, 9]},
        "softcap": 3.0,
        "biases": [{"kind": "alibi"}, {"kind": "matrix", "values": X[0][:3]}],
        "sinks": [0.5, -0.5],
        "dropout": {"p": 0.25, "seed": 1},
        "masks": [
            {"kind": "window", "left": 1, "right": 1},
            {"kind": "prefix", "length": 1},
            {"kind": "documents", "ids": [0, 0, 1]},
            {"kind": "matrix", "values": [[0, 1, "-Infinity"]], "convention": "additive"},
        ],
        "fill": -1e9,
        "fully_masked": "nan",
        "dtype": "bfloat16",
    },
    "one_token": {"x": [[1, 2]], "num_heads": 2},
    "zero_scale": {"x": X, "scale": 0, "softcap": 1},
    "ready_tables": {
        "x": X,
        "rope": {"style": "interleaved", "cos": [[1, 1]] * 3, "sin": [[0.5, 0.5]] * 3},
    },
    "cross": {"x": X, "memory": [[1, 2, 3]] * 5, "num_heads": 2, "num_kv_heads": 1},
    "cache": {"q": X, "k": X, "v": X, "past_k": X, "past_v": X, "masks": [{"kind": "causal"}]},
    "nothing_seen": {"x": X, "masks": [{"kind": "padding", "lengths": [0]}]},
    "not_finite": {"x": [["NaN", 1], ["Infinity", 0]]},
    "after": {"x": X, "masks": [{"kind": "causal"}], "mask_order": "after_softmax"},
    "other_widths": {"x": X, "num_heads": 3, "head_dim": 2, "value_dim": 5},
}
every_run = pytest.mark.parametrize("name", RUNS)
GIVEN = ("q", "scores", "masked_scores", "weights", "heads", "output", "logsumexp")


@every_run
def test_numbers_of_the_answer_itself_pass(name: str, client: TestClient) -> None:
    tensors = client.post("/api/attention", json=RUNS[name]).json()["tensors"]
    assert checked(client, RUNS[name], {part: tensors[part] for part in GIVEN})["pass"]


@every_run
def test_noise_has_no_cause(name: str, client: TestClient) -> None:
    tensors = client.post("/api/attention", json=RUNS[name]).json()["tensors"]
    draw = np.random.default_rng(3)
    for part in GIVEN:
        noise = 1 + draw.random(array(tensors[part]).shape) / 7
        answer = checked(client, RUNS[name], {part: noise})
        assert not answer["pass"]
        assert answer["causes"] == [], part
