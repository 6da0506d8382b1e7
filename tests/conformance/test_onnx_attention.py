"""56 tests of the ONNX operator ``Attention``."""

from __future__ import annotations

import numpy as np
import pytest
from fastapi.testclient import TestClient

from .exchange import ENCODINGS, Answer, Array, post
from .mapping import onnx
from .vectors import Vector, vectors_of_operator

ATTENTION = vectors_of_operator("Attention")
STAGES = "k,v,scores,masked_scores,weights,heads,output,dot_products"

every_attention = pytest.mark.parametrize("case", ATTENTION, ids=str)


@pytest.fixture(params=ENCODINGS)
def answer(case: Vector, client: TestClient, request: pytest.FixtureRequest) -> Answer:
    return post(client, onnx.specification(case), request.param, include=STAGES)


@every_attention
def test_output_is_the_operators(case: Vector, answer: Answer) -> None:
    name = "output" if onnx.is_merged(case) else "heads"
    case.tolerance.check(answer.tensor(name), case.outputs["Y"], "Y")


@every_attention
def test_cache_with_the_new_keys_and_values_is_the_same_bit_for_bit(
    case: Vector, answer: Answer
) -> None:
    for ours, theirs in (("k", "present_key"), ("v", "present_value")):
        # Without a cache nothing may touch what was sent.
        expected: Array = case.outputs[theirs] if theirs in case.outputs else onnx.heads(case)[ours]
        got = answer.tensor(ours).astype(expected.dtype)
        assert got.shape == expected.shape
        assert got.tobytes() == expected.tobytes()


@pytest.mark.parametrize("case", [c for c in ATTENTION if "qk_matmul_output" in c.outputs], ids=str)
def test_score_stage_is_the_one_the_mode_asks_for(case: Vector, answer: Answer) -> None:
    name, factor = onnx.score_stage(case)
    expected = case.outputs["qk_matmul_output"]
    case.tolerance.check(answer.tensor(name) * factor, expected, "qk_matmul_output")


@every_attention
def test_row_that_sees_no_key_is_exactly_zero_and_is_listed(case: Vector, answer: Answer) -> None:
    empty = np.isneginf(answer.tensor("masked_scores")).all(axis=-1)
    assert empty.any() == ("Attention/fully_masked_row" in case.facts["tags"])
    assert not answer.tensor("weights")[empty].any()
    assert not answer.tensor("heads")[empty].any()
    assert answer.fully_masked_rows == np.argwhere(empty).tolist()
