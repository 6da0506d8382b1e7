"""Pass or fail of every given tensor, with the place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torch import Tensor

from attention.arrays import Array, as_tensor
from attention.checking.attempt import Attempt
from attention.checking.baseline import written_out
from attention.checking.expected import Expected
from attention.checking.search import Cause, Search
from attention.checking.tolerance import Tolerance, tolerance_for
from attention.checking.workbench import Workbench
from attention.comparison import difference, place
from attention.errors import shape_text
from attention.rectangle import Rectangle
from attention.result import Result

PROBED_CELLS = 2**10
"""Mistakes are first tried on as many queries as have about this many scores."""


@dataclass(frozen=True)
class Verdict:
    """One tensor: ``expected`` and ``got`` are the numbers at ``worst``.

    ``difference`` is got − expected. Another shape fails, with ``why`` and without numbers.
    """

    passed: bool
    max_abs: float | None = None
    worst: tuple[int, ...] | None = None
    first_bad: tuple[int, ...] | None = None
    expected: float | None = None
    got: float | None = None
    bad_cells: int | None = None
    why: str | None = None
    difference: Tensor | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Check:
    """The verdict on all tensors, and the causes of a failure, best first.

    ``tried`` counts the runs that were made to find them, ``mistakes`` names what was tried.
    """

    tensors: dict[str, Verdict]
    causes: list[Cause]
    tolerance: Tolerance
    tried: int
    mistakes: list[str]

    @property
    def passed(self) -> bool:
        return all(verdict.passed for verdict in self.tensors.values())


def check(
    result: Result,
    expected: Mapping[str, Array],
    rtol: float | None = None,
    atol: float | None = None,
    step: Callable[[], None] | None = None,
) -> Check:
    """Compare ``expected``, someone's own numbers by the names of a result's tensors.

    A cell passes when |got − expected| <= atol + rtol · |expected|. When one does not, the
    classic mistakes are tried, alone and by two; ``step`` is called before each.
    """
    given = {name: as_tensor(value, ("expected", name)) for name, value in expected.items()}
    default = tolerance_for(result.task.reader.dtype, (value.dtype for value in given.values()))
    tolerance = Tolerance(
        default.rtol if rtol is None else rtol, default.atol if atol is None else atol
    )
    wanted = {
        name: Expected(name, value, result.task.reader.dtype, tolerance)
        for name, value in given.items()
    }
    verdicts = {name: verdict(getattr(result, name), wanted[name]) for name in wanted}
    if all(found.passed for found in verdicts.values()):
        return Check(verdicts, [], tolerance, 0, [])
    base = Attempt(written_out(result.task))
    bench = Workbench(base, result.task, wanted)
    search = Search(bench, base, probe(bench, verdicts), step)
    causes = search.causes()
    return Check(verdicts, causes, tolerance, search.tried, search.mistakes)


def verdict(got: Tensor, expected: Expected) -> Verdict:
    """The verdict on one tensor."""
    values = expected.values
    if expected.name == "allowed" and got.shape[1] == 1 and values.ndim == 4:
        got = got.expand(-1, values.shape[1], -1, -1)
    if got.shape != values.shape:
        shapes = f"{shape_text(got.shape)}, given {shape_text(values.shape)}"
        return Verdict(False, why=f"{expected.name} has another shape: computed {shapes}")
    got = got.to(values)
    apart = difference(got, values)
    bad = ~expected.passes(got)
    first = bad.flatten().nonzero()
    return Verdict(
        passed=not len(first),
        max_abs=apart.max_abs,
        worst=apart.at,
        first_bad=place(int(first[0]), got.shape) if len(first) else None,
        expected=values[apart.at].item(),
        got=got[apart.at].item(),
        bad_cells=len(first),
        difference=apart.difference,
    )


def probe(bench: Workbench, verdicts: Mapping[str, Verdict]) -> Rectangle:
    """Some queries around the worst cell of what failed; all of them when they are few."""
    T, S = bench.dims.T, bench.dims.S
    count = max(1, PROBED_CELLS // (bench.dims.B * bench.dims.H * S))
    if count >= T:
        return bench.everything
    middle = T // 2
    for name, found in verdicts.items():
        axis = bench.given[name].query_axis
        if axis is not None and found.worst is not None and not found.passed:
            middle = found.worst[axis]
    start = min(max(0, middle - count // 2), T - count)
    return Rectangle(slice(start, start + count), slice(0, S))
