"""What holds of every row of weights, whatever the specification."""

from typing import Any

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attention import attend
from tests.properties.specifications import generators, shapes, specifications

EXACT = {"rtol": 0, "atol": 1e-12}


@settings(max_examples=60, deadline=None)
@given(spec=specifications())
def test_a_row_sums_to_one_or_sees_no_key(spec: dict[str, Any]) -> None:
    plain = {n: v for n, v in spec.items() if n not in ("sinks", "mask_order", "fully_masked")}
    result = attend(**plain)
    blind = ~result.allowed.any(-1).expand(result.weights.shape[:3])
    sums = result.weights.sum(-1)
    torch.testing.assert_close(sums[~blind], torch.ones_like(sums[~blind]), **EXACT)
    assert (result.weights[blind] == 0).all()
    torch.testing.assert_close(result.row_sums, sums, **EXACT)


@settings(max_examples=60, deadline=None)
@given(spec=specifications(), after=st.booleans())
def test_masked_weights_are_exactly_zero(spec: dict[str, Any], after: bool) -> None:
    order = "after_softmax" if after else "before_softmax"
    changes = {"fill": "-Infinity", "fully_masked": "zero", "mask_order": order}
    result = attend(**{**spec, **changes})
    blocked = ~result.allowed.bool().expand(result.weights.shape)
    assert (result.weights[blocked] == 0).all()
    assert (result.weights[~blocked] > 0).all()


@settings(max_examples=60, deadline=None)
@given(spec=specifications())
def test_only_blocked_scores_are_set_to_the_fill(spec: dict[str, Any]) -> None:
    changes = {"fill": -1e9, "mask_order": "before_softmax"}
    result = attend(**{**spec, **changes})
    blocked = ~result.allowed.bool().expand(result.weights.shape)
    assert ((result.masked_scores == -1e9) == blocked).all()


@settings(max_examples=60, deadline=None)
@given(shape=shapes(), rng=generators(), data=st.data())
def test_permuting_the_keys_permutes_the_columns(
    shape: Any, rng: np.random.Generator, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(shape.N)))
    q = rng.normal(size=(shape.B, shape.H, shape.T, shape.D))
    k = rng.normal(size=(shape.B, shape.K, shape.N, shape.D))
    v = rng.normal(size=(shape.B, shape.K, shape.N, shape.Dv))
    keep = rng.random((shape.B, shape.N)) < 0.7
    before = attend(q=q, k=k, v=v, masks=[{"kind": "padding", "keep": keep}], dtype="float64")
    after = attend(
        q=q,
        k=k[:, :, order],
        v=v[:, :, order],
        masks=[{"kind": "padding", "keep": keep[:, order]}],
        dtype="float64",
    )
    torch.testing.assert_close(after.weights, before.weights[..., order], **EXACT)
    torch.testing.assert_close(after.output, before.output, **EXACT)


@settings(max_examples=40, deadline=None)
@given(spec=specifications())
def test_adding_one_number_to_every_score_changes_no_weight(spec: dict[str, Any]) -> None:
    changes = {"fill": "-Infinity", "mask_order": "before_softmax"}
    plain = {n: v for n, v in {**spec, **changes}.items() if n != "sinks"}
    shift = {"kind": "matrix", "values": [[1.5]]}
    shifted = attend(**{**plain, "biases": [*plain.get("biases", []), shift]})
    still = attend(**plain)
    torch.testing.assert_close(shifted.weights, still.weights, equal_nan=True, **EXACT)
    torch.testing.assert_close(shifted.logsumexp, still.logsumexp + 1.5, rtol=0, atol=1e-11)
