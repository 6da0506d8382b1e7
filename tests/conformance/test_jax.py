"""15 runs of ``jax.nn.dot_product_attention``."""

from __future__ import annotations

import numpy as np
import pytest
from fastapi.testclient import TestClient

from .exchange import ENCODINGS, Answer, post
from .mapping import jax
from .mapping.layout import swap_heads_and_length
from .vectors import Vector
from .vectors import jax as vectors

STAGES = "weights,heads,logsumexp"

every_run = pytest.mark.parametrize("case", vectors(), ids=str)
both_policies = pytest.mark.parametrize("policy", ["uniform", "zero"])


@pytest.fixture(params=ENCODINGS)
def answer(case: Vector, policy: str, client: TestClient, request: pytest.FixtureRequest) -> Answer:
    return post(client, jax.specification(case, policy), request.param, include=STAGES)


@every_run
@both_policies
def test_output_is_jax_output_in_the_rows_of_each_policy(
    case: Vector, policy: str, answer: Answer
) -> None:
    rows = jax.rows_under(case, policy)
    expected = swap_heads_and_length(case.outputs["output"])
    case.tolerance.check(answer.tensor("heads")[rows], expected[rows], "output")


@every_run
@both_policies
def test_logsumexp_is_jax_logsumexp_where_a_key_is_seen(
    case: Vector, policy: str, answer: Answer
) -> None:
    seen = ~case.outputs["empty_rows"]
    expected = swap_heads_and_length(case.outputs["logsumexp"])
    case.tolerance.check(answer.tensor("logsumexp")[seen], expected[seen], "logsumexp")


@every_run
@both_policies
def test_rows_that_jax_calls_empty_are_the_ones_listed(
    case: Vector, policy: str, answer: Answer
) -> None:
    assert answer.fully_masked_rows == np.argwhere(case.outputs["empty_rows"]).tolist()


@every_run
def test_every_row_is_compared_under_one_policy_at_least(case: Vector) -> None:
    assert (jax.rows_under(case, "uniform") | jax.rows_under(case, "zero")).all()
