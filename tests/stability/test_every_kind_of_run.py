"""Trials and readings of every kind of run: MHA, GQA, caches, norms, rotation, sinks, dropout."""

import pytest
import torch

from attention import (
    READING_SUBJECTS,
    Specification,
    array_from_typed,
    attend,
    readings,
    run,
    trials,
)
from tests.scripts.grid import GRID

SMALL = {
    name: {field: array_from_typed(value) if isinstance(value, dict) and "bdata" in value else value
           for field, value in spec.items()}
    for name, spec in GRID.items()
    if not name.startswith("long_")
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_a_precision_trial_is_the_run_in_that_dtype(name: str) -> None:
    """Though its random weights were drawn once for all of them."""
    spec = SMALL[name]
    found = {trial.name: trial for trial in trials(Specification.of(**spec)).found}
    for dtype in ("float32", "float16", "bfloat16"):
        expected = attend(**{**spec, "dtype": dtype})
        for stage in ("scores", "weights", "output"):
            ours, theirs = (getattr(r, stage) for r in (found[dtype].result, expected))
            torch.testing.assert_close(ours, theirs, rtol=0, atol=0, equal_nan=True)
    assert len(found) in (7, 15)


@pytest.mark.parametrize("name", SMALL)
def test_every_subject_has_its_readings(name: str) -> None:
    base = run(Specification.of(**SMALL[name]))
    for subject in READING_SUBJECTS:
        found = list(readings(base, subject))
        assert len(found) == (2 if subject == "causal" else 3)
        for reading in found:
            if reading.same:
                torch.testing.assert_close(
                    reading.result.output, base.output, rtol=0, atol=0, equal_nan=True
                )
