"""10 attention layers of transformers models: their own heads in, weights and context out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from fastapi.testclient import TestClient

from .exchange import ENCODINGS, Answer, Specification, post
from .mapping import huggingface
from .mapping.layout import merge_heads
from .vectors import Vector
from .vectors import huggingface as vectors

Masks = Callable[[Vector], Specification]

every_layer = pytest.mark.parametrize("case", vectors(), ids=str)
both_mask_forms = pytest.mark.parametrize(
    "masks", [huggingface.added, huggingface.named], ids=lambda masks: masks.__name__
)


@pytest.fixture(params=ENCODINGS)
def answer(
    case: Vector, masks: Masks, client: TestClient, request: pytest.FixtureRequest
) -> Answer:
    return post(client, huggingface.heads_specification(case, masks(case)), request.param)


@every_layer
@both_mask_forms
def test_weights_are_the_layers(case: Vector, masks: Masks, answer: Answer) -> None:
    case.tolerance.check(answer.tensor("weights"), case.outputs["attn_weights"], "weights")


@every_layer
@both_mask_forms
def test_context_is_the_layers(case: Vector, masks: Masks, answer: Answer) -> None:
    context = case.outputs["context"]
    case.tolerance.check(merge_heads(answer.tensor("heads")), context, "heads, merged")
    case.tolerance.check(answer.tensor("output"), context, "output without a projection")


@every_layer
@both_mask_forms
def test_only_masks_with_a_name_leave_rows_without_a_key(
    case: Vector, masks: Masks, answer: Answer
) -> None:
    """The least number of a dtype is just added: such a row is flat, but it is not blocked."""
    empty = np.broadcast_to(case.outputs["empty_rows"], case.outputs["attn_weights"].shape[:3])
    expected = np.argwhere(empty).tolist() if masks is huggingface.named else []
    assert answer.fully_masked_rows == expected


@every_layer
def test_named_masks_allow_what_the_layers_mask_leaves_at_zero(
    case: Vector, client: TestClient
) -> None:
    said = huggingface.heads_specification(case, huggingface.named(case))
    allowed = post(client, said, "list", include="allowed").tensor("allowed")
    expected = case.inputs["attention_mask"] == 0
    np.testing.assert_array_equal(allowed, np.broadcast_to(expected, allowed.shape))
