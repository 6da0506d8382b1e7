"""The spread of random dot products, against what theory and other generators say."""

import math
from typing import Any

import numpy as np
import pytest

from attention import LimitError, SpecificationError, score_variance

WIDTHS = [4, 8, 16, 32, 64, 128, 256, 512]
ROWS, KEYS = 256, 16


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_variance_of_plain_scores_is_the_width_and_of_scaled_ones_1(seed: int) -> None:
    """Five standard errors: √(2/n) for a variance of n normal numbers, 1/√n for a mean."""
    error = 5 / math.sqrt(ROWS * KEYS)
    for found in score_variance(WIDTHS, ROWS, KEYS, seed):
        D = found.width
        # products have heavier tails than normal numbers: the fourth moment adds 6/D
        allowed = error * math.sqrt(2 + 6 / D)
        assert abs(found.plain.variance / D - 1) < allowed, D
        assert abs(found.scaled.variance - 1) < allowed, D
        assert abs(found.plain.mean) < error * math.sqrt(D), D
        assert abs(found.scaled.mean) < error, D


def test_dividing_by_the_root_divides_the_variance_by_the_width() -> None:
    for found in score_variance([7, 13], 31, 5):
        assert found.scaled.variance == pytest.approx(found.plain.variance / found.width)
        assert found.scaled.mean == pytest.approx(found.plain.mean / math.sqrt(found.width))


def test_unscaled_softmaxes_saturate_with_the_width_and_scaled_ones_do_not() -> None:
    """The mean largest of 16 weights, against one made by another generator of numbers."""
    rng = np.random.default_rng(5)
    for found in score_variance([4, 64, 512], 1024):
        q, k = rng.standard_normal((2, 1024, KEYS, found.width))
        scores = np.einsum("rkd,rkd->rk", q, k)
        for spread, values in (
            (found.plain, scores),
            (found.scaled, scores / math.sqrt(found.width)),
        ):
            shares = np.exp(values - values.max(-1, keepdims=True))
            expected = (shares / shares.sum(-1, keepdims=True)).max(-1).mean()
            assert spread.largest_weight == pytest.approx(expected, abs=0.04), found.width
    narrow, _, wide = score_variance([4, 64, 512])
    assert wide.plain.largest_weight > 0.9 > 0.6 > narrow.plain.largest_weight
    assert abs(wide.scaled.largest_weight - narrow.scaled.largest_weight) < 0.05


def test_a_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    assert score_variance([5], 11, 3, 7) == score_variance([5], 11, 3, 7)
    assert score_variance([5], 11, 3, 7) != score_variance([5], 11, 3, 8)


@pytest.mark.parametrize(
    ("fields", "error", "loc"),
    [
        ({"widths": [512], "most": 1000}, LimitError, ("widths",)),
        ({"widths": [4], "rows": 1, "keys": 1}, SpecificationError, ("rows",)),
    ],
)
def test_what_is_too_much_or_too_little_is_refused(
    fields: dict[str, Any], error: type[Exception], loc: tuple[str, ...]
) -> None:
    with pytest.raises(error) as refused:
        score_variance(**fields)
    assert refused.value.loc == loc  # type: ignore[attr-defined]
