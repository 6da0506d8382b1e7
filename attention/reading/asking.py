"""A run's mask under every reading of a subject, each beside the run as it is set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from torch import Tensor

from attention.arrays import say
from attention.checking.baseline import written_out
from attention.checking.fields import plain
from attention.comparison import Comparison, compare
from attention.errors import SpecificationError
from attention.forward import run
from attention.reader import Reader
from attention.reading.spans import alignments, window_asked, windows
from attention.reading.way import Way
from attention.reading.written import array_of, ways
from attention.rectangle import Rectangle
from attention.result import Result
from attention.scripts import numbers
from attention.scripts.styles import refusals

SUBJECTS = ("array", "causal", "window")
"""What may be read in several ways: cell by cell, by its corner, by how it counts."""
IMPORTS = "import torch\nimport torch.nn.functional as F\n"


@dataclass(frozen=True)
class Reading:
    """One reading: its run, and how far that is from the run as it is set.

    ``line`` is PyTorch for it, over q, k and v. ``setup`` goes before it: imports, and ``mask``
    as it is written where that is short. ``mask`` is the expression for the mask alone.
    ``whole`` says whether the line is the whole run: nothing else acts, nothing is lacking.
    ``shown`` and ``hidden`` count the cells [B, H, T, S] that the run as set hides or shows.
    """

    name: str
    line: str
    mask: str
    setup: str
    used_by: tuple[str, ...]
    whole: bool
    fields: dict[str, Any]
    result: Result
    comparison: Comparison
    shown: int
    hidden: int
    empty_rows: int

    @property
    def same(self) -> bool:
        """Whether it gives the run as it is set, in what is visible and in every weight."""
        stages = self.comparison.stages
        return stages["allowed"].first is None and stages["weights"].first is None


def readings(
    result: Result, subject: str, *, mask: int | None = None, window: int | None = None
) -> Iterator[Reading]:
    """Every reading of ``subject``, one of `SUBJECTS`, each a run of its own.

    ``array``: mask number ``mask`` as it is written (default: the first matrix, else what all
    masks allow together, as zeros and ones) as allowed, blocked and additive. ``causal``: top
    left and bottom right. ``window``: what a window of ``window`` keys counts.
    Errors: `SpecificationError` for another subject or a mask that is not there.
    """
    setup = IMPORTS
    if subject == "array":
        array, index = array_of(result, mask)
        setup += _written(array)
        found = ways(result, array, index)
    elif subject == "causal":
        found = alignments(result)
    elif subject == "window":
        found = windows(result, window_asked(result, window))
    else:
        raise SpecificationError(
            "subject must be a known choice",
            loc=("subject",),
            expected=", ".join(SUBJECTS),
            got=say(subject),
        )
    for way in found:
        yield _reading(result, way, setup)


def _reading(base: Result, way: Way, setup: str) -> Reading:
    spec = replace(written_out(base.task), masks=way.masks)
    found = run(spec, base.layout)
    comparison = compare(found, base)
    change = comparison.stages["allowed"].difference
    return Reading(
        name=way.name,
        line=way.line(spec, base.layout),
        mask=way.mask,
        setup=setup,
        used_by=way.used_by,
        whole=_is_alone(found, way) and not refusals(found)["sdpa"],
        fields={"masks": plain(way.masks)},
        result=found,
        comparison=comparison,
        shown=int((change > 0).sum()),
        hidden=int((change < 0).sum()),
        empty_rows=int(found.empty_rows.expand(-1, base.layout.H, -1).sum()),
    )


def _is_alone(found: Result, way: Way) -> bool:
    """Whether nothing but the mask in question acts on the scores."""
    task, where = found.task, Rectangle.full(found.layout.T, found.layout.S)
    own = way.own.bind(found.layout, Reader(task.spec.dtype), ())
    others = [m for m, s in zip(task.masks, way.masks, strict=True) if s is not way.own]
    adding = any(mask.added is not None for mask in others)
    same = bool((own.visible(where) == found.allowed).all())
    return same and not adding and not task.biases


def _written(array: Tensor) -> str:
    """``mask = …``; nothing where it is too long to read."""
    if not numbers.is_short(array):
        return ""
    array = array[0, 0] if array.shape[:2] == (1, 1) else array
    text = numbers.written(array)
    return "".join(
        f"{line}\n" for line in (*sorted(numbers.names_in(text)), f"mask = torch.tensor({text})")
    )
