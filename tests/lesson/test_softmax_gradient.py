"""The softmax and its derivative, against torch's own differentiation and by hand."""

import math

import pytest
import torch

from attention import softmax_gradient

ROWS = [[0.2, 0.5, 0.8], [2, 5, 8], [20, 50, 80]]
# exp of each difference from the last score, over their sum: e^-0.6, e^-0.3, 1 and so on
BY_HAND = [
    [math.exp(s - row[2]) / sum(math.exp(t - row[2]) for t in row) for s in row] for row in ROWS
]


@pytest.mark.parametrize(("row", "expected"), list(zip(ROWS, BY_HAND, strict=True)))
def test_the_weights_are_the_exponentials_shares(row: list[float], expected: list[float]) -> None:
    assert softmax_gradient(row).weights == pytest.approx(expected, rel=1e-12)


def test_the_three_rows_of_the_textbooks() -> None:
    soft, hard, saturated = (softmax_gradient(row) for row in ROWS)
    assert [round(w, 3) for w in soft.weights] == [0.240, 0.324, 0.437]
    assert [round(w, 3) for w in hard.weights] == [0.002, 0.047, 0.950]
    assert saturated.weights[2] == pytest.approx(1, abs=1e-12)
    assert saturated.weights[1] == pytest.approx(math.exp(-30), rel=1e-9)


@pytest.mark.parametrize("row", [*ROWS, [0.0], [1, -1, 3, 0.5, 0.5], [-1e4, 0.0]])
def test_the_derivative_is_what_torch_differentiates(row: list[float]) -> None:
    scores = torch.tensor(row, dtype=torch.float64)
    expected = torch.autograd.functional.jacobian(lambda s: torch.softmax(s, 0), scores)  # type: ignore[no-untyped-call]
    found = softmax_gradient(row)
    torch.testing.assert_close(
        torch.tensor(found.derivative, dtype=torch.float64), expected, rtol=1e-12, atol=1e-15
    )
    assert found.norm == pytest.approx(math.sqrt(float((expected**2).sum())), rel=1e-9, abs=1e-15)
    assert found.largest == pytest.approx(float(expected.abs().max()), rel=1e-9, abs=1e-15)


def test_the_gradient_vanishes_as_the_softmax_saturates() -> None:
    soft, hard, saturated = (softmax_gradient(row) for row in ROWS)
    # w(1 − w) of the last weight is the largest entry of each
    for found in (soft, hard):
        w = found.weights[2]
        assert found.largest == pytest.approx(w * (1 - w))
    assert soft.largest > 0.24 and hard.largest < 0.05 and saturated.largest < 1e-12


def test_the_entropy_falls_from_the_logarithm_of_the_count_to_0() -> None:
    assert softmax_gradient([3, 3, 3, 3, 3]).entropy == pytest.approx(math.log(5))
    assert softmax_gradient(ROWS[2]).entropy == pytest.approx(0, abs=1e-10)
    weights = BY_HAND[0]
    assert softmax_gradient(ROWS[0]).entropy == pytest.approx(
        -sum(w * math.log(w) for w in weights)
    )
