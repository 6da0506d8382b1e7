"""Linear attention, against loops straight from its formula."""

import math
from typing import Any

import numpy as np
import pytest

from attention import Result, attend, linear_attention

B, H, K, N, D, DV = 2, 6, 3, 7, 5, 4
MASKS: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "causal": [{"kind": "causal"}],
    "window": [{"kind": "causal"}, {"kind": "window", "left": 2, "right": 0}],
    "blind": [{"kind": "causal", "offset": -2}],
}


def run(masks: list[dict[str, Any]], **fields: Any) -> Result:
    rng = np.random.default_rng(3)
    q, k = rng.standard_normal((B, H, N, D)), rng.standard_normal((B, K, N, D))
    v = rng.standard_normal((B, K, N, DV))
    return attend(q=q, k=k, v=v, masks=masks, dtype="float64", **fields)


def phi(x: float) -> float:
    """elu(x) + 1: x + 1 above 0, exp(x) below."""
    return x + 1 if x > 0 else math.exp(x)


def looped(result: Result) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    q, k, v = (tensor.numpy() for tensor in (result.q, result.k, result.v))
    allowed = result.allowed.numpy()
    weights, heads = np.zeros((B, H, N, N)), np.zeros((B, H, N, DV))
    for b, h, i in np.ndindex(B, H, N):
        kv = h // (H // K)
        row = [
            sum(phi(q[b, h, i, d]) * phi(k[b, kv, j, d]) for d in range(D))
            if allowed[min(b, len(allowed) - 1), 0, i, j]
            else 0.0
            for j in range(N)
        ]
        for j in range(N):
            weights[b, h, i, j] = row[j] / sum(row) if sum(row) else 0.0
            heads[b, h, i] += weights[b, h, i, j] * v[b, kv, j]
    return weights, heads


@pytest.mark.parametrize("masks", MASKS.values(), ids=MASKS)
def test_weights_and_heads_are_those_of_the_formula(masks: list[dict[str, Any]]) -> None:
    result = run(masks)
    found = linear_attention(result)
    weights, heads = looped(result)
    np.testing.assert_allclose(found.weights.numpy(), weights, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.heads.numpy(), heads, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", ["none", "causal"])
def test_running_sums_give_the_same_heads_without_the_matrix(name: str) -> None:
    found = linear_attention(run(MASKS[name]))
    assert found.reordered is not None
    np.testing.assert_allclose(found.reordered.numpy(), found.heads.numpy(), atol=1e-13)


@pytest.mark.parametrize("name", ["window", "blind"])
def test_other_masks_have_no_running_sum(name: str) -> None:
    assert linear_attention(run(MASKS[name])).reordered is None


def test_it_is_another_definition_and_no_faster_softmax() -> None:
    result = run(MASKS["causal"])
    assert (linear_attention(result).weights - result.weights).abs().max() > 0.1


def test_the_scale_plays_no_part() -> None:
    plain, scaled = run([]), run([], scale=3.0)
    assert (linear_attention(plain).weights == linear_attention(scaled).weights).all()
    assert (plain.weights != scaled.weights).any()
