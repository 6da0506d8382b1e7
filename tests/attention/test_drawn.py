"""Random tensors: from a seed, the same everywhere, and drawn only when they are used."""

import math

import numpy as np
import pytest
import torch

from attention import AttentionError, Drawn, attend


def test_normal_numbers_are_numpy_s_frozen_ones() -> None:
    drawn = Drawn.of({"shape": [3, 5], "seed": 7}, most=15).tensor()
    expected = np.random.RandomState(7).standard_normal((3, 5)).astype(np.float32)
    np.testing.assert_array_equal(drawn.numpy(), expected)


def test_waves_are_cosines_along_the_tokens_within_their_lengths() -> None:
    T, width = 101, 7
    waves = Drawn.of({"shape": [2, T, width], "kind": "waves", "seed": 3}, most=2000).tensor()
    assert waves.abs().max() <= math.sqrt(2) + 1e-6
    # A cosine of length λ satisfies x[t-1] + x[t+1] = 2 cos(2π/λ) x[t].
    twice = (waves[:, :-2] + waves[:, 2:]) / waves[:, 1:-1]
    turns = twice.median(1).values / 2
    assert (turns >= math.cos(2 * math.pi / 8) - 1e-3).all() and (turns <= 1).all()
    assert turns.unique().numel() == 2 * width


def test_waves_of_one_seed_attend_to_their_own_place() -> None:
    x = Drawn((61, 64), kind="waves")
    run = attend(q=x, k=x, v=x, num_heads=1)
    assert (run.weights[0, 0].argmax(-1) - torch.arange(61)).abs().max() <= 1


def test_a_vector_and_one_token_can_be_waves_too() -> None:
    assert Drawn((5,), kind="waves").tensor().shape == (5,)
    assert Drawn((1, 5), kind="waves").tensor().shape == (1, 5)


@pytest.mark.parametrize(
    ("value", "loc"),
    [
        ({}, ()),
        ([3, 4], ()),
        ({"shape": [3], "sead": 1}, ()),
        ({"shape": 3}, ("shape",)),
        ({"shape": []}, ("shape",)),
        ({"shape": [3, 0]}, ("shape",)),
        ({"shape": [3, True]}, ("shape",)),
        ({"shape": [1, 1, 1, 1, 1]}, ("shape",)),
        ({"shape": [3], "seed": -1}, ("seed",)),
        ({"shape": [3], "seed": 1.5}, ("seed",)),
        ({"shape": [3], "seed": True}, ("seed",)),
        ({"shape": [3], "kind": "uniform"}, ("kind",)),
        ({"shape": [3], "kind": ["normal"]}, ("kind",)),
        ({"shape": [10**9, 10**9]}, ("shape",)),
    ],
)
def test_what_cannot_be_drawn_is_refused_at_its_place(value: object, loc: tuple[str, ...]) -> None:
    with pytest.raises(AttentionError) as refusal:
        Drawn.of(value, most=1000)
    assert refusal.value.loc == loc
