"""POST /api/decode: each step equals the row of the full causal pass."""

from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

from tests.wire import array, listed

B, T, E, H, D = 2, 7, 12, 6, 2
X = np.random.default_rng(23).standard_normal((B, T, E))
KINDS = {"mha": 6, "gqa": 2, "mqa": 1}
EXTRAS: dict[str, dict[str, Any]] = {
    "plain": {},
    "rope": {"rope": {"style": "half"}},
    "positions": {"rope": {"style": "interleaved", "positions": list(range(10, 17))}},
    "tables": {"rope": {"style": "half", "cos": np.cos(np.outer(range(T), [1, 1])),
                        "sin": np.sin(np.outer(range(T), [1, 1]))}},
    "norms": {"qk_norm": {"eps": 1e-5}, "softcap": 1.5, "sinks": [0.5] * H},
    "window and padding": {
        "masks": [{"kind": "window", "left": 2},
                  {"kind": "padding", "keep": [[0, 0, 1, 1, 1, 1, 1], [1] * T]}],
        "biases": [{"kind": "alibi"}],
    },
    "cache": {"past_k": "cache", "past_v": "cache"},
}  # fmt: skip


def specification(kind: str, extra: str) -> dict[str, Any]:
    spec = {"x": X, "num_heads": H, "num_kv_heads": KINDS[kind], "dtype": "float64"}
    past = np.random.default_rng(4).standard_normal((B, KINDS[kind], 3, D))
    fields = {name: past if value == "cache" else value for name, value in EXTRAS[extra].items()}
    return {**spec, **fields}


def decoded(client: TestClient, spec: dict[str, Any], prefill: int) -> list[dict[str, Any]]:
    answer = client.post("/api/decode", json=listed({"spec": spec, "prefill": prefill}))
    assert answer.status_code == 200, answer.text
    assert answer.json()["prefill"] == prefill
    steps: list[dict[str, Any]] = answer.json()["steps"]
    return steps


@pytest.mark.parametrize("kind", list(KINDS))
@pytest.mark.parametrize("extra", list(EXTRAS))
def test_each_step_is_a_row_of_the_full_causal_pass(
    client: TestClient, kind: str, extra: str
) -> None:
    spec = specification(kind, extra)
    P = 3 if extra == "cache" else 0
    causal = [*spec.get("masks", []), {"kind": "causal"}]
    full = client.post("/api/attention", json=listed({**spec, "masks": causal})).json()["tensors"]
    steps = decoded(client, spec, 2)
    assert [step["position"] for step in steps] == [2, 3, 4, 5, 6]
    for step in steps:
        t = step["position"]
        keys = P + t + 1
        assert step["cache"]["shape"] == [B, KINDS[kind], keys, D]
        assert step["cache"]["bytes"] == B * KINDS[kind] * keys * 2 * D * 8
        assert step["max_abs_difference_from_full"] < 1e-12
        for name in ("scores", "weights"):
            row = array(full[name])[:, :, t : t + 1, :keys]
            np.testing.assert_allclose(array(step[name]), row, atol=1e-12)
        for name, axis in (("q", 2), ("output", 1)):
            row = np.take(array(full[name]), [t], axis=axis)
            np.testing.assert_allclose(array(step[name]), row, atol=1e-12)


def test_heads_given_directly_decode_too(client: TestClient) -> None:
    rng = np.random.default_rng(8)
    q, k, v = (rng.standard_normal((heads, 5, 3)) for heads in (4, 2, 2))
    steps = decoded(client, {"q": q, "k": k, "v": v, "dtype": "float64"}, 0)
    assert len(steps) == 5
    assert max(step["max_abs_difference_from_full"] for step in steps) < 1e-14
    assert array(steps[0]["weights"]).tolist() == [[[[1.0]]] * 4]


def test_everything_prefilled_leaves_nothing_to_decode(client: TestClient) -> None:
    assert decoded(client, specification("mha", "plain"), T) == []


@pytest.mark.parametrize(
    ("change", "prefill", "loc"),
    [
        ({}, T + 1, ["prefill"]),
        ({}, -1, ["prefill"]),
        ({"memory": X}, 0, ["spec", "memory"]),
        ({"mask_order": "after_softmax"}, 0, ["spec", "mask_order"]),
        ({"num_heads": 5, "num_kv_heads": 5}, 0, ["spec", "num_heads"]),
    ],
)
def test_what_cannot_be_decoded_is_refused(
    client: TestClient, change: dict[str, Any], prefill: int, loc: list[str]
) -> None:
    spec = {**specification("mha", "plain"), **change}
    answer = client.post("/api/decode", json=listed({"spec": spec, "prefill": prefill}))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["loc"] == loc
