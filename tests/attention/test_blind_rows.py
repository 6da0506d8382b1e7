"""Rows that see no key: three policies, any fill, masks before or after the softmax.

All scores are 0 over three keys. Row 0 sees nothing; row 1 sees the first key alone. So every
number here can be worked by hand.
"""

import math
from typing import Any

import pytest
import torch

from attention import attend

E1 = math.exp(-1)
ONE_LEFT = {
    ("before_softmax", "-Infinity"): [1, 0, 0],
    ("before_softmax", -1e9): [1, 0, 0],
    ("before_softmax", -1.0): [1 / (1 + 2 * E1), E1 / (1 + 2 * E1), E1 / (1 + 2 * E1)],
    ("after_softmax", "-Infinity"): [1 / 3, 0, 0],
    ("after_softmax", -1e9): [1 / 3, 0, 0],
    ("after_softmax", -1.0): [1 / 3, 0, 0],
}
POLICIES = {"zero": 0.0, "nan": math.nan, "uniform": 1 / 3}


def blind(**fields: Any) -> Any:
    mask = {"kind": "matrix", "values": [[0, 0, 0], [1, 0, 0]], "convention": "allowed"}
    v = [[2.0], [4.0], [9.0]]
    q, k = [[0.0], [0.0]], [[1.0], [1.0], [1.0]]
    return attend(q=q, k=k, v=v, masks=[mask], dtype="float64", **fields)


def close(actual: torch.Tensor, expected: Any) -> None:
    wanted = torch.tensor(expected, dtype=torch.float64)
    torch.testing.assert_close(actual.double(), wanted, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(("order", "fill"), ONE_LEFT)
def test_the_policy_decides_blind_rows_whatever_the_fill_and_order(
    policy: str, order: str, fill: Any
) -> None:
    result = blind(fully_masked=policy, mask_order=order, fill=fill)
    close(result.weights[0, 0], [[POLICIES[policy]] * 3, ONE_LEFT[order, fill]])
    first, second, third = ONE_LEFT[order, fill]
    close(result.heads[0, 0, 0], [POLICIES[policy] * 15.0])
    close(result.heads[0, 0, 1], [2 * first + 4 * second + 9 * third])


@pytest.mark.parametrize(
    ("fill", "expected"),
    [
        ("-Infinity", [-math.inf, 0.0]),
        (-1.0, [-1 + math.log(3), math.log(1 + 2 * E1)]),
        (-1000.0, [-1000 + math.log(3), 0.0]),
    ],
)
def test_the_logsumexp_is_that_of_the_masked_row(fill: Any, expected: list[float]) -> None:
    close(blind(fill=fill).logsumexp[0, 0], expected)


def test_masking_after_the_softmax_leaves_the_whole_row_in_the_denominator() -> None:
    result = blind(mask_order="after_softmax")
    close(result.logsumexp[0, 0], [math.log(3)] * 2)
    close(result.row_sums[0, 0], [0.0, 1 / 3])
    odd = [warning for warning in result.warnings if warning.code == "rows_do_not_sum_to_one"]
    assert len(odd) == 1


def test_rows_that_sum_to_one_raise_no_warning() -> None:
    codes = [warning.code for warning in blind().warnings]
    assert codes == ["fully_masked_rows"]


@pytest.mark.parametrize("policy", POLICIES)
def test_blind_rows_are_reported_for_every_head(policy: str) -> None:
    keep = [[1, 1], [0, 0]]
    q = torch.zeros(2, 3, 2, 1)
    result = attend(q=q, k=q, v=q, masks=[{"kind": "padding", "keep": keep}], fully_masked=policy)
    (warning,) = [w for w in result.warnings if w.code == "fully_masked_rows"]
    rows = sorted(tuple(row) for row in torch.as_tensor(warning.rows).tolist())
    assert rows == [(1, h, t) for h in range(3) for t in range(2)]


def test_a_sink_takes_its_share_of_the_denominator() -> None:
    """Scores 0, 0, 0 and a sink of log 2: weights 1/5 each, the sink takes 2/5."""
    q, k = [[0.0], [0.0]], [[1.0], [1.0], [1.0]]
    result = attend(q=q, k=k, v=k, sinks=[math.log(2)], dtype="float64")
    close(result.weights[0, 0], [[1 / 5] * 3] * 2)
    close(result.logsumexp[0, 0], [math.log(5)] * 2)
    close(result.row_sums[0, 0], [3 / 5] * 2)


def test_each_head_has_a_sink_of_its_own() -> None:
    zeros = torch.zeros(1, 2, 1, 1)
    result = attend(q=zeros, k=zeros, v=zeros, sinks=[0.0, math.log(3)], dtype="float64")
    close(result.weights[0, :, 0, 0], [1 / 2, 1 / 4])
