"""Every trial of a run, each beside the same run in float64."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from attention.arrays import DTYPES, say
from attention.checking.baseline import written_out
from attention.comparison import compare
from attention.errors import SpecificationError
from attention.forward import run
from attention.result import Result
from attention.specification import Specification
from attention.stability.event import events
from attention.stability.fills import Filled, computed, in_dtype, variants
from attention.stability.plain_softmax import plain, plain_events
from attention.stability.trial import Trial, empty_weights, hidden_weight
from attention.task import prepare

EXACT = "float64"
NARROWER = ("float32", "float16", "bfloat16")
AFTER_SOFTMAX = ("weights", "heads", "output")


@dataclass(frozen=True)
class Trials:
    """``reference`` is the run in float64; each of ``found`` is computed as it is asked for."""

    reference: Result
    found: Iterator[Trial]


def trials(spec: Specification, dtype: str = "float16") -> Trials:
    """The run in narrower dtypes, with a softmax that subtracts no maximum, and with fills.

    ``dtype`` is that of the fills. Differences are the trial less the run in float64.
    Errors: `SpecificationError` for an unknown dtype.
    """
    if dtype not in DTYPES:
        raise SpecificationError(
            "dtype must be a known choice",
            loc=("dtype",),
            expected=", ".join(DTYPES),
            got=say(dtype),
        )
    drawn = written_out(prepare(in_dtype(spec, EXACT)))  # random weights are drawn once
    reference = run(drawn)
    return Trials(reference, _all(reference, dtype))


def _all(reference: Result, dtype: str) -> Iterator[Trial]:
    spec = reference.task.spec
    for name in NARROWER:
        yield _precision(reference, run(in_dtype(spec, name)), name)
    for name in (EXACT, *NARROWER):
        yield _plain_softmax(reference, run(in_dtype(spec, name)), name)
    for variant in variants(reference, dtype):
        yield _filled(reference, variant, dtype)


def _precision(reference: Result, result: Result, dtype: str) -> Trial:
    happened = events(result, reference)
    comparison = compare(result, reference)
    fields = {"dtype": dtype}
    return Trial(dtype, "precision", dtype, None, result, comparison, happened, fields)


def _plain_softmax(reference: Result, result: Result, dtype: str) -> Trial:
    found = plain(result)
    around = events(found, reference)
    happened = [
        *(event for event in around if event.stage not in AFTER_SOFTMAX),
        *plain_events(result, reference),
        *(event for event in around if event.stage in AFTER_SOFTMAX),
    ]
    comparison = compare(found, reference)
    return Trial(f"plain {dtype}", "softmax", dtype, None, found, comparison, happened, None)


def _filled(reference: Result, variant: Filled, dtype: str) -> Trial:
    found = computed(variant.spec)
    exact = computed(in_dtype(variant.spec, EXACT))
    dims = reference.layout
    blocked = ~reference.allowed.expand(dims.B, dims.H, dims.T, dims.S)
    empty = empty_weights(found, blocked)
    policy = {} if empty in (None, "own") else {"fully_masked": empty}
    return Trial(
        variant.name,
        variant.kind,
        dtype,
        variant.fill,
        found,
        compare(found, reference),
        events(found, exact),
        {**variant.changes, **policy},
        hidden_weight(found, blocked),
        empty,
    )
