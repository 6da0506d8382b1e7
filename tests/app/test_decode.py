"""POST /api/decode: each step equals the row of the full causal pass."""

from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.nn.functional import scaled_dot_product_attention

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


def heads_given(queries: int) -> dict[str, Any]:
    rng = np.random.default_rng(8)
    q, k, v = (rng.standard_normal((heads, queries, 3)) for heads in (4, 2, 2))
    return {"q": q, "k": k, "v": v, "dtype": "float64"}


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
    steps = decoded(client, heads_given(5), 0)
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


def test_the_prefill_is_the_block_of_its_rows(client: TestClient) -> None:
    spec = specification("gqa", "rope")
    causal = {**spec, "masks": [{"kind": "causal"}]}
    full = client.post("/api/attention", json=listed(causal)).json()["tensors"]
    body = listed({"spec": spec, "prefill": 3})
    prefilled = client.post("/api/decode", json=body).json()["prefilled"]
    assert prefilled["position"] == 0
    assert prefilled["cache"]["shape"] == [B, 2, 3, D]
    np.testing.assert_allclose(
        array(prefilled["weights"]), array(full["weights"])[:, :, :3, :3], atol=1e-12
    )
    np.testing.assert_allclose(array(prefilled["output"]), array(full["output"])[:, :3], atol=1e-12)
    assert prefilled["top_left"]["max_abs_difference_from_full"] < 1e-12
    nothing = listed({"spec": spec, "prefill": 0})
    assert client.post("/api/decode", json=nothing).json()["prefilled"] is None


@pytest.mark.parametrize("chunk", [1, 2, 3, 7])
def test_a_chunk_is_aligned_at_the_bottom_right_of_torchs_masks(
    client: TestClient, chunk: int
) -> None:
    T = 7
    spec = heads_given(T)
    body = listed({"spec": spec, "prefill": 2, "chunk": chunk})
    steps = client.post("/api/decode", json=body).json()["steps"]
    assert [step["position"] for step in steps] == list(range(2, T, chunk))
    q, k, v = (torch.tensor(spec[name])[None] for name in ("q", "k", "v"))
    for step in steps:
        start, stop = step["position"], min(step["position"] + chunk, T)
        keys, values = k[:, :, :stop], v[:, :, :stop]
        for mask, found in ((causal_lower_right, step), (causal_upper_left, step["top_left"])):
            visible = mask(stop - start, stop)._materialize(torch.device("cpu"))
            output = scaled_dot_product_attention(
                q[:, :, start:stop], keys, values, attn_mask=visible, enable_gqa=True
            )
            merged = output.transpose(1, 2).flatten(2)
            np.testing.assert_allclose(array(found["output"]), merged.numpy(), atol=1e-12)
        np.testing.assert_array_equal(
            array(step["allowed"])[0, 0], np.tri(stop - start, stop, start, dtype=np.uint8)
        )
        assert step["max_abs_difference_from_full"] < 1e-14
        assert step["top_left"]["max_abs_difference_from_full"] > 0.01


def test_top_left_lets_a_single_query_see_the_oldest_key_alone(client: TestClient) -> None:
    last = decoded(client, heads_given(5), 4)[0]
    assert array(last["top_left"]["weights"]).tolist() == [[[[1, 0, 0, 0, 0]]] * 4]


def test_the_cache_is_said_for_more_and_fewer_kv_heads(client: TestClient) -> None:
    step = decoded(client, specification("gqa", "plain"), 4)[0]
    one = B * 5 * 2 * D * 8
    assert step["cache"]["siblings"] == {"mha": 6 * one, "gqa": 2 * one, "mqa": one}


def test_a_step_takes_in_at_least_one_token(client: TestClient) -> None:
    answer = client.post("/api/decode", json=listed({"spec": heads_given(5), "chunk": 0}))
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["loc"] == ["chunk"]
    assert error["expected"] == "1 or more"
