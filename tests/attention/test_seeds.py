"""Random projections and dropout depend on their seeds alone."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attention import attend

ROOT = Path(__file__).resolve().parents[2]
TENSORS = ("q", "k", "v", "output")


def random(seed: int = 0, **fields: Any) -> dict[str, Any]:
    return {"projection": {"kind": "random", "seed": seed, "bias": False}, **fields}


def same(a: Any, b: Any) -> bool:
    return all(torch.equal(getattr(a, name), getattr(b, name)) for name in TENSORS)


def test_the_same_seed_gives_the_same_numbers_whatever_happened_before(
    rng: np.random.Generator,
) -> None:
    x = rng.normal(size=(3, 12))
    first = attend(x, num_heads=3)
    torch.manual_seed(99)
    np.random.seed(99)
    torch.rand(7)
    assert same(first, attend(x, num_heads=3))
    assert not same(first, attend(x, num_heads=3, projection={"kind": "random", "seed": 1}))


def test_the_callers_random_state_is_left_alone(rng: np.random.Generator) -> None:
    x = rng.normal(size=(3, 12))
    torch.manual_seed(4)
    expected = torch.rand(5)
    torch.manual_seed(4)
    attend(x, dropout={"p": 0.5, "seed": 3})
    assert torch.equal(torch.rand(5), expected)


def test_another_process_draws_the_same_weights() -> None:
    script = (
        "from attention import attend;"
        "print(attend([[1.0, 2.0, 3.0]], dtype='float64').output.flatten().tolist())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    here = attend([[1.0, 2.0, 3.0]], dtype="float64").output.flatten().tolist()
    assert printed.strip() == str(here)


def test_random_is_the_default_projection_with_seed_0_and_biases(rng: np.random.Generator) -> None:
    x = rng.normal(size=(3, 12))
    written = {"kind": "random", "seed": 0, "bias": True}
    assert same(attend(x, num_heads=3), attend(x, num_heads=3, projection=written))


def test_random_weights_have_the_spread_of_one_over_the_root_of_their_inputs() -> None:
    """With x the identity, q, k and v are the weights themselves: 4 · 16,384 numbers a tensor."""
    E = 256
    for name in "qkv":
        weights = getattr(attend(torch.eye(E), **random(head_dim=64, num_heads=4)), name)
        assert weights.std().item() == pytest.approx(1 / np.sqrt(E), rel=0.02)
        assert abs(weights.mean().item()) < 3 / np.sqrt(E) / np.sqrt(weights.numel())


def test_the_projections_differ_from_each_other() -> None:
    result = attend(torch.eye(8), **random())
    assert not torch.equal(result.q, result.k)
    assert not torch.equal(result.k, result.v)


def test_biases_shift_every_token_alike() -> None:
    x = torch.eye(6, dtype=torch.float64)
    plain = attend(x, dtype="float64", **random())
    biased = attend(x, dtype="float64", projection={"kind": "random", "seed": 0, "bias": True})
    shift = biased.q - plain.q
    torch.testing.assert_close(shift, shift[:, :, :1].expand_as(shift), rtol=0, atol=1e-12)
    assert shift.abs().max() > 0.01


class TestDropout:
    x = np.random.default_rng(8).normal(size=(2, 31, 12))

    def run(self, p: float, seed: int = 0) -> Any:
        return attend(self.x, num_heads=3, dropout={"p": p, "seed": seed}, dtype="float64")

    def test_the_weights_are_those_before_dropout(self) -> None:
        plain = attend(self.x, num_heads=3, dtype="float64")
        assert torch.equal(self.run(0.3).weights, plain.weights)
        assert plain.dropped_weights is None

    def test_what_is_kept_is_divided_by_what_is_kept_on_average(self) -> None:
        result = self.run(0.25)
        kept = result.dropped_weights != 0
        expected = result.weights / 0.75
        torch.testing.assert_close(result.dropped_weights[kept], expected[kept], rtol=1e-12, atol=0)

    def test_the_share_that_is_dropped_is_p(self) -> None:
        """5,766 cells: three standard deviations of the share are below 0.02."""
        for p in (0.1, 0.5, 0.9):
            share = (self.run(p).dropped_weights == 0).double().mean().item()
            assert share == pytest.approx(p, abs=0.02)

    def test_every_head_batch_item_and_query_drops_cells_of_its_own(self) -> None:
        dropped = self.run(0.5).dropped_weights == 0
        assert not torch.equal(dropped[0], dropped[1])
        assert not torch.equal(dropped[:, 0], dropped[:, 1])
        assert not torch.equal(dropped[:, :, 0], dropped[:, :, 1])

    def test_the_seed_decides_which(self) -> None:
        assert torch.equal(self.run(0.5, 3).dropped_weights, self.run(0.5, 3).dropped_weights)
        assert not torch.equal(self.run(0.5, 3).dropped_weights, self.run(0.5, 4).dropped_weights)

    def test_the_values_are_mixed_by_the_dropped_weights(self) -> None:
        result = self.run(0.5)
        torch.testing.assert_close(
            result.heads, result.dropped_weights @ result.v, rtol=0, atol=1e-12
        )

    def test_a_probability_of_zero_drops_nothing(self) -> None:
        result = self.run(0.0)
        assert torch.equal(result.dropped_weights, result.weights)
