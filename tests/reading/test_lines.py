"""Every line of PyTorch that a reading gives is run, and gives the reading's own numbers."""

from typing import Any

import pytest
import torch

from attention import READING_SUBJECTS, Reading, Result, attend, readings

CELLS = [[1, 0, 1, 0, 1], [0, 0, 1, 1, 1], [1, 1, 1, 0, 1]]


def heads(T: int, S: int, H: int = 1, K: int = 1, B: int = 1) -> dict[str, Any]:
    drawn = torch.Generator().manual_seed(13)
    shapes = {"q": (B, H, T, 7), "k": (B, K, S, 7), "v": (B, K, S, 11)}
    return {name: torch.randn(shape, generator=drawn) for name, shape in shapes.items()}


def cached(**fields: Any) -> dict[str, Any]:
    """3 queries behind 2 cached keys."""
    found = heads(3, 5)
    past = {"past_k": found["k"][:, :, :2], "past_v": found["v"][:, :, :2]}
    return {**found, "k": found["k"][:, :, 2:], "v": found["v"][:, :, 2:], **past, **fields}


def matrix(values: Any, convention: str) -> list[dict[str, Any]]:
    return [{"kind": "matrix", "values": values, "convention": convention}]


NUMBERS = [[-torch.inf, 0.0, 0.5, 0.0, 0.0]]
BOTH = [{"kind": "causal"}, {"kind": "window", "left": 2}]
CORNER = [{"kind": "window", "left": 1, "right": 1, "alignment": "bottom_right"}]
EACH = [{"kind": "window", "left": 1, "right": 0, "offset": [2, 1]}]
RUNS: dict[str, dict[str, Any]] = {
    "nothing masked": heads(3, 5),
    "allowed": {**heads(3, 5), "masks": matrix(CELLS, "allowed")},
    "blocked": {**heads(3, 5), "masks": matrix(CELLS, "blocked")},
    "additive": {**heads(3, 5), "masks": matrix(NUMBERS, "additive")},
    "causal": {**heads(5, 5), "masks": [{"kind": "causal"}]},
    "causal on a cache": cached(masks=[{"kind": "causal"}]),
    "window on a cache": cached(masks=[{"kind": "window", "left": 1, "right": 0}]),
    "window and causal": {**heads(5, 5), "masks": BOTH},
    "window, bottom right": {**heads(3, 5), "masks": CORNER},
    "an offset for each item": {**heads(3, 5, B=2), "masks": EACH},
    "padding": {**heads(3, 5, B=2), "masks": [{"kind": "padding", "lengths": [5, 3]}]},
    "GQA": {**heads(5, 5, H=6, K=2), "masks": [{"kind": "causal"}], "scale": 0.3},
    "float64": {**heads(5, 5), "masks": [{"kind": "causal"}], "dtype": "float64"},
    "softcap": {**heads(5, 5), "masks": [{"kind": "causal"}], "softcap": 2.0},
    "sinks": {**heads(5, 5), "masks": [{"kind": "causal"}], "sinks": [0.5]},
    "a bias": {**heads(5, 5), "masks": [{"kind": "causal"}], "biases": [{"kind": "alibi"}]},
    "long": {**heads(11, 11), "masks": [{"kind": "causal"}]},
}  # fmt: skip


def run_line(result: Result, reading: Reading) -> dict[str, Any]:
    """What the two texts leave, from this run's q, k and v alone."""
    names: dict[str, Any] = {"q": result.q, "k": result.k, "v": result.v}
    exec(reading.setup, names)
    exec(reading.line, names)
    return names


def found_in(name: str, subject: str) -> tuple[Result, list[Reading]]:
    result = attend(**RUNS[name])
    return result, list(readings(result, subject))


@pytest.mark.parametrize("subject", READING_SUBJECTS)
@pytest.mark.parametrize("name", [name for name in RUNS if name != "long"])
def test_a_line_that_is_the_whole_run_gives_its_heads(name: str, subject: str) -> None:
    result, found = found_in(name, subject)
    for reading in found:
        if reading.whole:
            ours = run_line(result, reading)["heads"]
            torch.testing.assert_close(ours, reading.result.heads, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("subject", READING_SUBJECTS)
@pytest.mark.parametrize("name", [name for name in RUNS if name != "long"])
def test_the_mask_of_a_line_is_the_mask_that_is_read(name: str, subject: str) -> None:
    """Of a run whose only mask is the one in question."""
    result, found = found_in(name, subject)
    kind = {"array": "matrix"}.get(subject, subject)
    for reading in found:
        (own,) = [mask for mask in reading.fields["masks"] if mask["kind"] == kind]
        mask = eval(reading.mask, run_line(result, reading))
        visible = mask if mask.dtype == torch.bool else mask > -torch.inf
        expected = attend(**{**RUNS[name], "masks": [own]}).allowed
        assert torch.equal(visible.expand(expected.shape), expected), reading.name


def test_most_lines_are_the_whole_run() -> None:
    """So that the test of whole lines cannot hold for want of any."""
    whole = {
        (name, subject, reading.name)
        for name in RUNS
        for subject in READING_SUBJECTS
        for reading in found_in(name, subject)[1]
        if reading.whole
    }
    assert len(whole) >= 70
    assert {key[2] for key in whole} == {
        "allowed", "blocked", "additive", "top_left", "bottom_right", "counts_itself",
        "beside_itself", "both_sides",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["softcap", "sinks", "a bias"])
def test_a_line_says_when_the_run_has_more_than_it(name: str) -> None:
    for subject in READING_SUBJECTS:
        assert not any(reading.whole for reading in found_in(name, subject)[1])


def test_a_long_array_is_left_for_the_reader_to_give() -> None:
    _, found = found_in("long", "array")
    assert [reading.setup.count("mask =") for reading in found] == [0, 0, 0]
    _, short = found_in("causal", "array")
    assert [reading.setup.count("mask =") for reading in short] == [1, 1, 1]


def test_the_fields_of_a_reading_set_it() -> None:
    for name in RUNS:
        for subject in READING_SUBJECTS:
            for reading in found_in(name, subject)[1]:
                again = attend(**{**RUNS[name], **reading.fields})
                assert torch.equal(again.allowed, reading.result.allowed)
                torch.testing.assert_close(
                    again.weights, reading.result.weights, rtol=0, atol=0, equal_nan=True
                )
