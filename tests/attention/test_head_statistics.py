"""One number a head, against loops over the weights; tolerance 1e-12 at float64."""

import math
from typing import Any

import numpy as np
import pytest

from attention import Result, attend

B, H, T, P, D = 2, 3, 5, 2, 7
STATISTICS = ("entropy", "mean_distance", "first_key_weight", "largest_weight")


@pytest.fixture
def result(rng: np.random.Generator) -> Result:
    """Causal after a cache of two; sequence 1 is left-padded so far that its row 0 is empty."""
    heads: dict[str, Any] = {name: rng.normal(size=(B, H, T, D)) for name in ("q", "k", "v")}
    cache = {name: rng.normal(size=(B, H, P, D)) for name in ("past_k", "past_v")}
    masks = [{"kind": "causal"}, {"kind": "padding", "keep": [[1] * 7, [0, 0, 0, 1, 1, 1, 1]]}]
    return attend(**heads, **cache, masks=masks, dtype="float64")


def rows_that_see(result: Result, b: int, h: int) -> list[tuple[int, list[float]]]:
    weights = result.weights[b, h].tolist()
    seen = result.allowed[b, 0].any(-1).tolist()
    return [(t, weights[t]) for t in range(T) if seen[t]]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_the_fixture_has_an_empty_row_in_one_sequence_only(result: Result) -> None:
    assert [len(rows_that_see(result, b, 0)) for b in range(B)] == [T, T - 1]


def test_each_statistic_is_the_mean_over_rows_that_see_a_key(result: Result) -> None:
    for b in range(B):
        for h in range(H):
            rows = rows_that_see(result, b, h)
            spread = mean([-sum(w * math.log(w) for w in row if w) for _, row in rows])
            reach = mean([sum(w * abs(t + P - s) for s, w in enumerate(r)) for t, r in rows])
            first = mean([row[0] for _, row in rows])
            largest = mean([max(row) for _, row in rows])
            expected = [spread, reach, first, largest]
            got = [getattr(result, name)[b, h].item() for name in STATISTICS]
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_rows_of_filling_do_not_count_in_self_attention() -> None:
    """Right-padded to 5 from 3, bidirectional: rows 3 and 4 see keys, yet are no tokens."""
    x = np.random.default_rng(5).normal(size=(1, 5, 6))
    padded = attend(x, num_heads=3, masks=[{"kind": "padding", "lengths": [3]}], dtype="float64")
    alone = attend(x[:, :3], num_heads=3, dtype="float64")
    for name in STATISTICS:
        np.testing.assert_allclose(
            getattr(padded, name), getattr(alone, name), rtol=0, atol=1e-12, err_msg=name
        )


def test_every_query_counts_in_cross_attention_to_padded_keys() -> None:
    rng = np.random.default_rng(5)
    x, memory = rng.normal(size=(1, 5, 6)), rng.normal(size=(1, 5, 6))
    masks = [{"kind": "padding", "lengths": [3]}]
    result = attend(x, memory=memory, num_heads=3, masks=masks, dtype="float64")
    expected = result.weights.amax(-1).mean(-1)
    np.testing.assert_allclose(result.largest_weight, expected, rtol=0, atol=1e-12)


def test_the_largest_weight_of_a_causal_head_is_not_simply_that_of_query_0() -> None:
    """Equal scores: the largest weights of three causal rows are 1, 1/2 and 1/3."""
    zeros = np.zeros((1, 1, 3, D))
    result = attend(q=zeros, k=zeros, v=zeros, masks=[{"kind": "causal"}], dtype="float64")
    np.testing.assert_allclose(result.largest_weight, [[11 / 18]], rtol=0, atol=1e-12)


def test_the_average_of_heads_is_their_mean_cell_by_cell(result: Result) -> None:
    expected = sum(result.weights[:, h].numpy() for h in range(H)) / H
    np.testing.assert_allclose(result.average_weights, expected, rtol=0, atol=1e-12)


def test_even_weights_over_seven_keys_have_entropy_ln_7() -> None:
    zeros = np.zeros((1, 1, T, D))
    result = attend(q=zeros, k=np.zeros((1, 1, 7, D)), v=np.zeros((1, 1, 7, D)), dtype="float64")
    np.testing.assert_allclose(result.entropy, [[math.log(7)]], atol=1e-12)


@pytest.mark.parametrize("policy", ["zero", "nan", "uniform"])
def test_a_head_that_sees_nothing_has_no_statistics(policy: str) -> None:
    x = np.eye(3)
    result = attend(x, masks=[{"kind": "padding", "lengths": [0]}], fully_masked=policy)
    for name in STATISTICS:
        assert np.isnan(getattr(result, name).item()), name


def test_sixteen_bit_weights_are_summed_wider() -> None:
    result = attend(np.eye(3), dtype="float16")
    assert str(result.entropy.dtype) == "torch.float32"
