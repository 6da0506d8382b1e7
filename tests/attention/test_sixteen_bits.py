"""16-bit types show their own overflow and rounding, and say so."""

import math
from typing import Any

import pytest
import torch

from attention import SpecificationError, attend


def codes(result: Any) -> list[str]:
    return [warning.code for warning in result.warnings]


def test_a_dot_product_over_65504_is_infinite_in_float16() -> None:
    """200·200 + 200·200 = 80,000 overflows before the scale could make it 56,569."""
    token = [[200.0, 200.0]]
    result = attend(q=token, k=token, v=[[1.0]], dtype="float16")
    assert result.scores.item() == math.inf
    assert math.isnan(result.weights.item())
    assert {"overflow", "non_finite_result"} <= set(codes(result))
    fine = attend(q=token, k=token, v=[[1.0]], dtype="float32")
    assert fine.scores.item() == pytest.approx(80_000 / math.sqrt(2), rel=1e-6)
    assert fine.weights.item() == 1
    assert codes(fine) == []


def test_bfloat16_keeps_the_range_and_loses_the_digits() -> None:
    """Near 90,000 bfloat16 has steps of 512: 300·300 becomes 176 steps."""
    result = attend(q=[[300.0]], k=[[300.0]], v=[[1.0]], dtype="bfloat16", scale=1)
    assert result.scores.item() == 176 * 512
    assert "overflow" not in codes(result)


@pytest.mark.parametrize(
    ("dtype", "fill", "held"),
    [
        ("float16", -1e9, -math.inf),
        ("float16", -65504.0, -65504.0),
        ("float16", -1e4, -10000.0),
        ("bfloat16", -1e9, -238.0 * 2**22),
        ("bfloat16", -1e39, -math.inf),
        ("float32", -1e9, -1e9),
        ("float32", -1e39, -math.inf),
        ("float64", -1e39, -1e39),
    ],
)
def test_a_fill_outside_the_dtype_becomes_minus_infinity_with_a_warning(
    dtype: str, fill: float, held: float
) -> None:
    q = [[0.0], [0.0]]
    result = attend(q=q, k=q, v=q, masks=[{"kind": "causal"}], fill=fill, dtype=dtype)
    assert result.masked_scores[0, 0, 0, 1].item() == held
    assert ("overflow" in codes(result)) == (held == -math.inf)
    assert result.weights[0, 0, 0].tolist() == [1, 0]


def test_an_input_outside_float16_is_infinite_and_reported() -> None:
    result = attend(q=[[70_000.0]], k=[[1.0]], v=[[1.0]], dtype="float16")
    assert result.q.item() == math.inf
    assert "overflow" in codes(result)


def test_a_score_of_infinity_is_not_hidden_by_a_mask_elsewhere() -> None:
    q = [[300.0], [1.0]]
    result = attend(
        q=q, k=q, v=[[1.0], [2.0]], masks=[{"kind": "causal"}], dtype="float16", scale=1
    )
    assert result.scores[0, 0].tolist() == [[math.inf, 300.0], [300.0, 1.0]]
    assert math.isnan(result.weights[0, 0, 0, 0].item())
    assert result.weights[0, 0, 1].tolist() == [1.0, 0.0]
    assert "overflow" in codes(result)


def test_float16_rows_still_sum_to_one_within_its_precision() -> None:
    torch.manual_seed(5)
    result = attend(torch.randn(2, 17, 12), num_heads=3, dtype="float16")
    torch.testing.assert_close(
        result.weights.double().sum(-1), torch.ones(2, 3, 17).double(), rtol=0, atol=5e-3
    )
    exact = attend(torch.randn(2, 17, 12), num_heads=3, dtype="float64")
    assert codes(result) == codes(exact) == []


def test_16_bit_numbers_stay_near_the_float64_numbers() -> None:
    torch.manual_seed(6)
    x = torch.randn(2, 7, 12)
    fields = {"num_heads": 3, "masks": [{"kind": "causal"}]}
    exact = attend(x, dtype="float64", **fields).weights
    for dtype, tolerance in (("float16", 5e-3), ("bfloat16", 4e-2)):
        near = attend(x, dtype=dtype, **fields).weights.double()
        torch.testing.assert_close(near, exact, rtol=0, atol=tolerance)
        assert not torch.equal(near, exact)


@pytest.mark.parametrize(
    ("dtype", "cap"), [("float16", 1e9), ("float32", 1e39), ("float32", 1e-320)]
)
def test_a_softcap_that_the_dtype_cannot_hold_is_refused(dtype: str, cap: float) -> None:
    with pytest.raises(SpecificationError, match=dtype):
        attend(torch.eye(3), softcap=cap, dtype=dtype)
