"""The classic mistakes made on purpose, so that anyone can see what a check says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from attention.checking.attempt import Attempt
from attention.checking.baseline import written_out
from attention.checking.expected import Expected
from attention.checking.mistakes import MISTAKES
from attention.checking.tolerance import tolerance_for
from attention.checking.workbench import Workbench
from attention.errors import SpecificationError
from attention.result import Result


@dataclass(frozen=True)
class MadeMistake:
    """What a run with one mistake in it answers: weights [B, H, T, S], output [B, T, E]."""

    mistake: str
    explanation: str
    detail: str
    weights: Tensor
    output: Tensor


def make_mistakes(result: Result) -> Iterator[MadeMistake]:
    """Every mistake that changes this run's weights or output, made in the first such way."""
    base = Attempt(written_out(result.task))
    bench = Workbench(base, result.task, {})
    right = {name: _expected(result, name) for name in ("weights", "output")}
    bench.freeze()
    for mistake in MISTAKES:
        for slip in mistake.slips(base, bench):
            bench.clear()
            run = bench.run(base.with_slip(slip), bench.everything)
            weights, output = run.weights, run.output
            if not (right["weights"].reproduced(weights) and right["output"].reproduced(output)):
                yield MadeMistake(mistake.name, mistake.told(slip), slip.detail, weights, output)
                break


def make_mistake(result: Result, name: str) -> MadeMistake:
    """The mistake ``name`` of `make_mistakes`.

    Errors: `SpecificationError` where it is none of them, with their names.
    """
    found = []
    for made in make_mistakes(result):
        if made.mistake == name:
            return made
        found.append(made.mistake)
    raise SpecificationError(
        "make names a mistake that changes these numbers",
        loc=("make",),
        expected="one of " + ", ".join(found) if found else "nothing: none changes them",
        got=name,
    )


def _expected(result: Result, name: str) -> Expected:
    dtype = result.task.reader.dtype
    return Expected(name, getattr(result, name), dtype, tolerance_for(dtype, ()))
