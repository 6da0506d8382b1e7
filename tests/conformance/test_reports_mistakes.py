"""The wrong answers of the report cases, where a field of the specification asks for them."""

from __future__ import annotations

import numpy as np
import pytest
from fastapi.testclient import TestClient

from . import comparisons
from .exchange import post
from .mapping.reports import specification
from .mistakes import MISTAKES, Mistake
from .vectors import report


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_mistake_can_be_asked_for(mistake: Mistake, client: TestClient) -> None:
    case, reading = report(mistake.case), mistake.reading()
    answer = post(client, reading.specification, "list", include=comparisons.INCLUDE)
    comparisons.check(reading, answer, case.tolerance)


def test_finite_fill_makes_a_row_without_a_key_flat_under_the_uniform_policy(
    client: TestClient,
) -> None:
    case = report("all-masked-row-finite-fill")
    said = specification(case) | {"fill": -1e9, "fully_masked": "uniform"}
    answer = post(client, said, "list")
    row_weights = case.facts["wrong"]["row_1_weights"]["replace_by_-1e9"]
    row_output = case.facts["wrong"]["row_1_output_replace_by_-1e9"]
    case.tolerance.check(answer.tensor("weights")[0, 0, 1], row_weights, "weights")
    case.tolerance.check(answer.tensor("heads")[0, 0, 1], row_output, "output")
    assert answer.fully_masked_rows == case.facts["expected"]["fully_masked_rows"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_adding_a_finite_number_instead_of_blocking_lets_float64_see_through_it(
    client: TestClient, dtype: str
) -> None:
    """In float32 the score is lost beside -1e9; in float64 the unmasked softmax is back."""
    case = report("all-masked-row-finite-fill")
    added = np.where(np.asarray(case.facts["input"]["mask"]), 0.0, -1e9)
    mask = {"kind": "matrix", "values": added, "convention": "additive"}
    answer = post(client, specification(case) | {"masks": [mask], "dtype": dtype}, "list")
    expected = case.facts["wrong"]["row_1_weights"][f"add_-1e9_{dtype}"]
    # At 1e9 a float64 keeps seven decimals of the score.
    np.testing.assert_allclose(answer.tensor("weights")[0, 0, 1], expected, rtol=1e-6)
    assert answer.fully_masked_rows == []


def test_average_over_heads_is_flat_though_no_head_is(client: TestClient) -> None:
    case = report("averaged-weights-hide-heads")
    weights = post(client, specification(case), "list").tensor("weights")
    case.tolerance.check(weights.mean(axis=1), case.facts["wrong"]["head_average"], "average")
