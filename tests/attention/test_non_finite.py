"""NaN and infinity follow IEEE arithmetic and are reported."""

import math
from typing import Any

import pytest
import torch

from attention import attend

BLOCK_LAST = {"kind": "padding", "lengths": [2]}


def tokens(**changed: float) -> dict[str, Any]:
    """Three tokens of width 1; the named arrays get another number in their last token."""
    arrays: dict[str, Any] = {name: [[1.0], [2.0], [3.0]] for name in "qkv"}
    for name, number in changed.items():
        arrays[name] = [[1.0], [2.0], [number]]
    return arrays


def codes(result: Any) -> set[str]:
    return {warning.code for warning in result.warnings}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("fill", ["-Infinity", -1e9])
def test_a_masked_key_is_replaced_by_the_fill_whatever_it_held(number: float, fill: Any) -> None:
    strange = attend(**tokens(k=number), masks=[BLOCK_LAST], fill=fill)
    plain = attend(**tokens(), masks=[BLOCK_LAST], fill=fill)
    assert torch.equal(strange.masked_scores, plain.masked_scores)
    assert torch.equal(strange.weights, plain.weights)
    assert torch.isfinite(strange.output).all()
    assert not torch.isfinite(strange.scores[..., 2]).any()
    assert "non_finite_input" in codes(strange)
    reported = [w.message for w in strange.warnings if w.code == "non_finite_result"]
    assert not any(name in text for text in reported for name in ("weights", "heads", "output"))


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_masked_value_still_reaches_the_output(number: float) -> None:
    result = attend(**tokens(v=number), masks=[BLOCK_LAST])
    assert (result.weights[..., 2] == 0).all()
    assert torch.isnan(result.output).all()
    assert {"non_finite_input", "non_finite_result"} <= codes(result)


def test_a_nan_in_one_query_stays_in_its_row() -> None:
    result = attend(**tokens(q=math.nan))
    assert torch.isnan(result.weights[0, 0, 2]).all()
    assert torch.isfinite(result.weights[0, 0, :2]).all()
    assert {"non_finite_input", "non_finite_result"} <= codes(result)


def test_an_unmasked_nan_key_spoils_every_row() -> None:
    assert torch.isnan(attend(**tokens(k=math.nan)).weights).all()


def test_the_strings_of_json_stand_for_their_numbers() -> None:
    result = attend(q=[["NaN"], ["Infinity"], ["-Infinity"]], k=[[1.0]], v=[[1.0]], scale=1)
    numbers = result.scores[0, 0, :, 0].tolist()
    assert math.isnan(numbers[0])
    assert numbers[1:] == [math.inf, -math.inf]
    assert "non_finite_input" in codes(result)


def test_large_finite_scores_do_not_overflow_the_softmax() -> None:
    """Scores 800 and 799: e/(e + 1) and 1/(e + 1), though e^800 is beyond float64."""
    result = attend(q=[[20.0]], k=[[40.0], [39.95]], v=[[1.0], [2.0]], scale=1, dtype="float64")
    share = math.e / (math.e + 1)
    torch.testing.assert_close(
        result.weights[0, 0, 0], torch.tensor([share, 1 - share]).double(), rtol=0, atol=1e-7
    )
    assert result.logsumexp.item() == pytest.approx(800 + math.log(1 + 1 / math.e), abs=1e-9)
    assert codes(result) == set()
