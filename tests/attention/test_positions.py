"""Rotary positions, ALiBi and the norms of q and k, by hand."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from attention import attend


def rotated(q: Any, **rope: Any) -> np.ndarray[Any, Any]:
    """q after the rotation, [T][D]; one head."""
    result = attend(q=q, k=q, v=q, rope=rope, dtype="float64")
    return np.asarray(result.q[0, 0])


def test_a_head_of_width_two_turns_by_one_radian_a_position() -> None:
    """Both styles pair the only two entries: (1, 0) at position p is (cos p, sin p)."""
    expected = [[math.cos(p), math.sin(p)] for p in range(3)]
    for style in ("half", "interleaved"):
        np.testing.assert_allclose(
            rotated([[1.0, 0.0]] * 3, style=style), expected, rtol=0, atol=1e-12
        )


def test_half_pairs_far_entries_and_interleaved_pairs_neighbours() -> None:
    """Base 100 and width 4 turn by 1 and by 1/10 a position; only position 1 is looked at."""
    q = [[0.0] * 4, [1.0, 2.0, 3.0, 4.0]]
    fast, slow = (math.cos(1), math.sin(1)), (math.cos(0.1), math.sin(0.1))

    def turn(pair: tuple[float, float], by: tuple[float, float]) -> list[float]:
        return [pair[0] * by[0] - pair[1] * by[1], pair[1] * by[0] + pair[0] * by[1]]

    first, second = turn((1, 3), fast), turn((2, 4), slow)
    half = [first[0], second[0], first[1], second[1]]
    interleaved = [*turn((1, 2), fast), *turn((3, 4), slow)]
    np.testing.assert_allclose(rotated(q, style="half", base=100)[1], half, atol=1e-12)
    np.testing.assert_allclose(
        rotated(q, style="interleaved", base=100)[1], interleaved, atol=1e-12
    )


@pytest.mark.parametrize("style", ["half", "interleaved"])
def test_entries_beyond_the_rotary_width_stay_still(style: str) -> None:
    q = np.arange(14, dtype=float).reshape(2, 7)
    turned = rotated(q, style=style, dim=4)
    np.testing.assert_array_equal(turned[:, 4:], q[:, 4:])
    np.testing.assert_array_equal(turned[0], q[0])
    assert (turned[1, :4] != q[1, :4]).all()


@pytest.mark.parametrize("style", ["half", "interleaved"])
def test_scores_depend_on_the_distance_of_positions_alone(
    rng: np.random.Generator, style: str
) -> None:
    heads = {name: rng.normal(size=(1, 3, 5, 6)) for name in "qkv"}
    near = attend(**heads, rope={"style": style}, dtype="float64")
    moved = list(range(100, 105))
    rope = {"style": style, "positions": moved, "key_positions": moved}
    far = attend(**heads, rope=rope, dtype="float64")
    torch.testing.assert_close(near.scores, far.scores, rtol=0, atol=1e-10)
    assert not torch.allclose(near.q, far.q)


def test_positions_may_differ_by_batch_item() -> None:
    q = np.tile([1.0, 0.0], (2, 1, 2, 1))
    places = [[0, 1], [3, 5]]
    result = attend(
        q=q,
        k=q,
        v=q,
        rope={"style": "half", "positions": places, "key_positions": places},
        dtype="float64",
    )
    np.testing.assert_allclose(
        torch.atan2(result.q[:, 0, :, 1], result.q[:, 0, :, 0]).numpy(),
        [[0, 1], [3, 5 - 2 * math.pi]],
        rtol=0,
        atol=1e-12,
    )


def test_cached_keys_are_not_turned_again_and_new_ones_count_on() -> None:
    past = [[7.0, 8.0], [9.0, 10.0]]
    q = [[1.0, 0.0]]
    result = attend(
        q=q, k=q, v=q, past_k=past, past_v=past, rope={"style": "half"}, dtype="float64"
    )
    turned = [math.cos(2), math.sin(2)]
    np.testing.assert_allclose(result.k[0, 0], [*past, turned], rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.q[0, 0], [turned], rtol=0, atol=1e-12)
    np.testing.assert_allclose(result.v[0, 0], [*past, [1, 0]], rtol=0, atol=1e-12)


def test_ready_tables_turn_as_they_say() -> None:
    """Columns repeat as the style asks; a quarter turn takes (1, 2) to (-2, 1)."""
    quarter = {"cos": [[0.0, 0.0]], "sin": [[1.0, 1.0]]}
    for style in ("half", "interleaved"):
        np.testing.assert_array_equal(rotated([[1.0, 2.0]], style=style, **quarter), [[-2.0, 1.0]])


@pytest.mark.parametrize(
    ("heads", "slopes"),
    [
        (1, [2**-8]),
        (2, [2**-4, 2**-8]),
        (8, [2**-1, 2**-2, 2**-3, 2**-4, 2**-5, 2**-6, 2**-7, 2**-8]),
        (3, [2**-4, 2**-8, 2**-2]),
        (6, [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]),
    ],
)
def test_alibi_subtracts_the_published_slope_for_each_step_away(
    heads: int, slopes: list[float]
) -> None:
    zeros = np.zeros((1, heads, 3, 1))
    scores = attend(q=zeros, k=zeros, v=zeros, biases=[{"kind": "alibi"}], dtype="float64").scores
    distance = np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    np.testing.assert_allclose(
        scores[0].numpy(), [-slope * distance for slope in slopes], rtol=0, atol=1e-12
    )


def test_alibi_counts_from_the_cache_s_length() -> None:
    one, past = [[0.0]], [[0.0]] * 4
    result = attend(
        q=one, k=one, v=one, past_k=past, past_v=past, biases=[{"kind": "alibi", "slopes": [0.5]}]
    )
    assert result.scores[0, 0, 0].tolist() == [-2.0, -1.5, -1.0, -0.5, 0.0]


def test_biases_come_after_the_softcap_and_the_softcap_after_the_scale() -> None:
    result = attend(
        q=[[2.0]],
        k=[[3.0]],
        v=[[1.0]],
        scale=0.5,
        softcap=4.0,
        biases=[{"kind": "matrix", "values": [[10.0]]}],
        dtype="float64",
    )
    assert result.scores.item() == pytest.approx(10 + 4 * math.tanh(3 / 4), abs=1e-12)


def test_a_norm_weight_of_head_width_norms_each_head_and_a_full_one_norms_them_together() -> None:
    """Heads (3, 4) and (0, 0): alone the first has mean square 12.5, together 6.25."""
    q = [[[3.0, 4.0]], [[0.0, 0.0]]]
    norm = {"eps": 1e-30, "q_weight": [1, 2], "k_weight": [1, 1]}
    per_head = attend(q=q, k=q, v=q, qk_norm=norm, dtype="float64")
    np.testing.assert_allclose(
        per_head.q[0, :, 0], [[3 / math.sqrt(12.5), 8 / math.sqrt(12.5)], [0, 0]], atol=1e-12
    )
    norm = {"eps": 1e-30, "q_weight": [1, 2, 1, 1], "k_weight": [1] * 4}
    full = attend(q=q, k=q, v=q, qk_norm=norm, dtype="float64")
    np.testing.assert_allclose(full.q[0, :, 0], [[3 / 2.5, 8 / 2.5], [0, 0]], atol=1e-12)
    np.testing.assert_array_equal(full.v, attend(q=q, k=q, v=q, dtype="float64").v)


def test_the_norm_s_eps_is_one_millionth_unless_said() -> None:
    """(0.001, 0.001) has mean square one millionth: the norm halves its square."""
    tiny = [[0.001, 0.001]]
    result = attend(q=tiny, k=tiny, v=tiny, qk_norm={}, dtype="float64")
    np.testing.assert_allclose(result.q[0, 0], [[math.sqrt(0.5)] * 2], rtol=1e-12)
    said = attend(q=tiny, k=tiny, v=tiny, qk_norm={"eps": 3e-6}, dtype="float64")
    np.testing.assert_allclose(said.k[0, 0], [[0.5, 0.5]], rtol=1e-12)
