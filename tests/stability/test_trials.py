"""Narrower dtypes, softmax without its maximum, finite fills: against NumPy and torch's casts."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from attention import Specification, SpecificationError, Trial, attend, trials

DTYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
}


def tried(spec: dict[str, Any], dtype: str = "float16") -> dict[str, Trial]:
    return {trial.name: trial for trial in trials(Specification.of(**spec), dtype).found}


def scores(*rows: Any, **fields: Any) -> dict[str, Any]:
    """A run whose scores are these numbers: q is they, k the identity, the scale 1."""
    width = len(rows[0])
    eye = torch.eye(width).tolist()
    return {"q": [list(row) for row in rows], "k": eye, "v": eye, "scale": 1.0, **fields}


def told(trial: Trial) -> dict[tuple[str, str], int]:
    return {(event.stage, event.kind): event.count for event in trial.events}


def normal(*shape: int) -> Any:
    return np.random.default_rng(29).standard_normal(shape)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_dtypes_weights_are_those_of_torchs_casts(dtype: str) -> None:
    q, k, v = normal(7, 5), normal(11, 5), normal(11, 3)
    trial = tried({"q": q, "k": k, "v": v})[dtype]
    cast = [torch.tensor(array).to(DTYPES[dtype]) for array in (q, k, v)]
    weights = torch.softmax((cast[0] @ cast[1].T) * 5**-0.5, -1)
    tolerance = 2 * torch.finfo(DTYPES[dtype]).eps
    torch.testing.assert_close(trial.result.weights[0, 0], weights, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_the_difference_is_the_dtypes_number_less_that_of_float64(dtype: str) -> None:
    q, k, v = normal(7, 5), normal(11, 5), normal(11, 3)
    trial = tried({"q": q, "k": k, "v": v})[dtype]
    plain = np.exp(q @ k.T / math.sqrt(5))
    exact = plain / plain.sum(-1, keepdims=True)
    apart = trial.result.weights[0, 0].double().numpy() - exact
    found = trial.comparison.stages["weights"]
    np.testing.assert_allclose(found.difference[0, 0].numpy(), apart, rtol=0, atol=1e-15)
    assert found.max_abs == pytest.approx(np.abs(apart).max(), abs=1e-15)
    assert found.mean_abs == pytest.approx(np.abs(apart).mean(), abs=1e-15)
    place = np.unravel_index(np.abs(apart).argmax(), apart.shape)
    assert found.at[2:] == tuple(int(i) for i in place)


def test_fewer_digits_are_further_away() -> None:
    found = tried({"q": normal(7, 5), "k": normal(11, 5), "v": normal(11, 3)})
    far = [found[name].comparison.stages["weights"].max_abs for name in
           ("float32", "float16", "bfloat16")]  # fmt: skip
    assert far[0] * 100 < far[1] < far[2]


@pytest.mark.parametrize(
    ("dtype", "fits", "breaks"),
    [("float16", 11.0, 11.25), ("bfloat16", 88.5, 89.0), ("float32", 88.5, 89.0),
     ("float64", 709.5, 710.0)],
)  # fmt: skip
def test_exp_leaves_the_dtype_where_its_largest_number_says(
    dtype: str, fits: float, breaks: float
) -> None:
    """ln of the largest: 11.09 for float16, 88.7 for float32 and bfloat16, 709.8 for float64."""
    largest = math.log(torch.finfo(DTYPES[dtype]).max)
    assert fits < largest < breaks
    found = tried(scores((fits, 0.0), (breaks, 0.0)))[f"plain {dtype}"]
    assert told(found)["exponentials", "overflow"] == 1
    weights = found.result.weights[0, 0]
    assert not weights[0].isnan().any()
    assert weights[1, 0].isnan()
    kept = attend(**scores((fits, 0.0), (breaks, 0.0)), dtype=dtype).weights
    assert not kept.isnan().any(), "with the maximum subtracted nothing breaks"


def test_rows_that_broke_do_not_hide_how_far_the_others_are_off() -> None:
    """Row 0 becomes NaN in float16; row 1 is float16's 1/3 less 1/3."""
    found = tried(scores((12.0, 0.0, 0.0), (1.0, 1.0, 1.0)))["plain float16"]
    assert found.finite is not None
    third = abs(float(torch.tensor(1 / 3).half()) - 1 / 3)
    zeros = torch.softmax(torch.tensor([12.0, 0.0, 0.0], dtype=torch.float64), -1)[1]
    assert found.finite.max_abs == pytest.approx(max(third, float(zeros)), rel=1e-6)
    gone = tried(scores((-110.0, -111.0)))["plain float32"]
    assert gone.finite is None


def test_only_the_sum_may_overflow() -> None:
    """exp(10.9) = 54,176 fits float16, and twice of it does not: weights become 0, not NaN."""
    found = tried(scores((10.9, 10.9)))["plain float16"]
    assert told(found) == {
        ("exponential_sums", "overflow"): 1, ("weights", "vanished"): 2,
    }  # fmt: skip
    assert found.result.weights.tolist() == [[[[0.0, 0.0]]]]


def test_far_below_zero_the_sum_vanishes() -> None:
    """exp(−110) is 0 in float32, so 0/0; in float64 it is 1.7e-48 and the row is fine."""
    found = tried(scores((-110.0, -111.0)))
    assert told(found["plain float32"])["exponential_sums", "vanished"] == 1
    assert found["plain float32"].result.weights.isnan().all()
    exact = 1 / (1 + math.exp(-1))
    assert found["plain float64"].result.weights[0, 0, 0, 0].item() == pytest.approx(exact)


def test_a_softmax_without_its_maximum_is_numpys_own_formula() -> None:
    rows = normal(5, 7) * 3
    found = tried(scores(*rows.tolist()))["plain float32"]
    raised = np.exp(rows.astype(np.float32))
    expected = raised / raised.sum(-1, keepdims=True)
    np.testing.assert_allclose(found.result.weights[0, 0].numpy(), expected, rtol=1e-6)
    assert found.fields is None


def test_a_product_over_65504_is_the_first_thing_that_breaks() -> None:
    """60,000 + 30,000: both numbers fit float16, and their sum is infinite."""
    spec = {"q": [[60_000.0, 60_000.0]], "k": [[1.0, 0.5], [0.5, 0.2]], "v": [[1.0], [2.0]],
            "scale": 1.0}  # fmt: skip
    events = tried(spec)["float16"].events
    first = events[0]
    assert (first.stage, first.kind, first.count, first.first) == (
        "dot_products", "overflow", 1, (0, 0, 0, 0),
    )  # fmt: skip
    assert first.exact == 90_000
    assert [event.stage for event in events if event.kind == "not_a_number"] == [
        "weights", "heads", "output",
    ]  # fmt: skip
    assert tried(spec)["bfloat16"].events == []


def test_an_input_that_does_not_fit_is_told_of_itself() -> None:
    events = tried({"q": [[70_000.0]], "k": [[1.0]], "v": [[1.0]]})["float16"].events
    assert (events[0].stage, events[0].kind, events[0].exact) == ("q", "overflow", 70_000)


def masked(rows: Any, allowed: Any, dtype: str, **fields: Any) -> dict[str, Trial]:
    mask = {"kind": "matrix", "values": allowed, "convention": "allowed"}
    return tried(scores(*rows, masks=[mask], **fields), dtype)


ORDINARY = ((1.0, 2.0, 3.0), [[1, 1, 0]])
EMPTY = ((1.0, 2.0, 3.0), [[0, 0, 0]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fill", ["-inf", "-1e9", "-1e4", "min"])
@pytest.mark.parametrize("how", ["set", "added"])
def test_every_fill_hides_a_key_of_an_ordinary_row(dtype: str, fill: str, how: str) -> None:
    trial = masked([ORDINARY[0]], ORDINARY[1], dtype)[f"{how} {fill}"]
    assert trial.hidden is not None and trial.hidden.largest == 0
    assert trial.empty_rows is None


@pytest.mark.parametrize(
    ("dtype", "how", "fill", "expected"),
    [
        ("float32", "set", "-inf", "nan"), ("float32", "set", "-1e9", "uniform"),
        ("float32", "set", "-1e4", "uniform"), ("float32", "set", "min", "uniform"),
        ("float16", "set", "-inf", "nan"), ("float16", "set", "-1e9", "nan"),
        ("float16", "set", "-1e4", "uniform"), ("float16", "set", "min", "uniform"),
        ("bfloat16", "set", "-1e9", "uniform"), ("bfloat16", "set", "min", "uniform"),
        ("float64", "added", "-1e9", "own"), ("float32", "added", "-1e9", "uniform"),
        ("float32", "added", "-1e4", "own"), ("float32", "added", "min", "uniform"),
        ("float16", "added", "-1e9", "nan"), ("float16", "added", "min", "uniform"),
        ("bfloat16", "added", "-1e4", "uniform"),
    ],
)  # fmt: skip
def test_what_an_empty_row_gets_is_what_torch_makes_of_it(
    dtype: str, how: str, fill: str, expected: str
) -> None:
    """Torch itself on one row: scores 1, 2, 3, all hidden."""
    kind = DTYPES[dtype]
    row = torch.tensor(EMPTY[0], dtype=kind)
    number = torch.finfo(kind).min if fill == "min" else float(fill)
    held = torch.tensor(number, dtype=torch.float64).to(kind)
    theirs = torch.softmax(held.expand(3) if how == "set" else row + held, -1)
    trial = masked([EMPTY[0]], EMPTY[1], dtype)[f"{how} {fill}"]
    torch.testing.assert_close(
        trial.result.weights[0, 0, 0], theirs, rtol=0, atol=0, equal_nan=True
    )
    assert trial.empty_rows == expected


def test_minus_ten_thousand_is_beaten_by_lower_scores() -> None:
    """Visible scores of −30,000 and −15,000 lie below the hidden one: it gets everything."""
    found = masked([(-30_000.0, -15_000.0, 0.0)], [[1, 1, 0]], "float32")
    hidden = found["set -1e4"].hidden
    assert hidden is not None and (hidden.largest, hidden.at) == (1.0, (0, 0, 0, 2))
    for name in ("set -inf", "set -1e9", "set min"):
        assert found[name].hidden is not None and found[name].hidden.largest == 0  # type: ignore[union-attr]


def test_the_least_float16_overflows_where_it_is_added() -> None:
    """−65,504 − 20 rounds to −Infinity, so that a row of such scores becomes NaN."""
    assert (torch.tensor(-65_504.0).half() + torch.tensor(-20.0).half()).isinf()
    trial = masked([(-20.0, -20.0, -20.0)], [[0, 0, 0]], "float16")["added min"]
    assert told(trial)["masked_scores", "overflow"] == 3
    assert trial.empty_rows == "nan"


def test_a_fill_that_the_dtype_cannot_hold_is_an_overflow() -> None:
    trial = masked([ORDINARY[0]], ORDINARY[1], "float16")["set -1e9"]
    (event,) = trial.events
    assert (event.stage, event.kind, event.first, event.exact) == (
        "masked_scores", "overflow", (0, 0, 0, 2), -1e9,
    )  # fmt: skip
    assert masked([ORDINARY[0]], ORDINARY[1], "bfloat16")["set -1e9"].events == []


def test_a_run_without_masked_keys_has_no_fills() -> None:
    assert {trial.kind for trial in tried(scores((1.0, 2.0))).values()} == {"precision", "softmax"}


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_fields_of_a_trial_set_it(dtype: str) -> None:
    """Rows that see keys, and one that sees none."""
    spec = scores((1.0, 2.0, 3.0), (-30_000.0, -15_000.0, 0.0), (0.5, 0.25, 1.0),
                  masks=[{"kind": "matrix", "values": [[1, 1, 0], [1, 1, 0], [0, 0, 0]],
                          "convention": "allowed"}])  # fmt: skip
    said = [trial for trial in tried(spec, dtype).values() if trial.fields is not None]
    assert len(said) == 3 + 8
    for trial in said:
        again: Tensor = attend(**{**spec, **(trial.fields or {})}).weights
        torch.testing.assert_close(again, trial.result.weights, rtol=1e-3, atol=0, equal_nan=True)


def test_an_unknown_dtype_is_refused() -> None:
    with pytest.raises(SpecificationError, match="dtype"):
        trials(Specification.of(**scores((1.0, 2.0))), "float8")
