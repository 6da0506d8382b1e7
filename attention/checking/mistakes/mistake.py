"""What the table of mistakes is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention.checking.attempt import Attempt, Reading

if TYPE_CHECKING:
    from attention.checking.workbench import Workbench

Readings = Callable[[Attempt, "Workbench"], Iterable[Reading]]


@dataclass(frozen=True)
class Mistake:
    """A classic mistake: its name, what to tell who made it, and the ways to make it.

    ``reads`` are the fields of the specification that its readings are made from; a mistake
    before it that changed one of them makes them anew. ``extra`` ones are named last.
    """

    name: str
    explanation: str
    readings: Readings
    reads: frozenset[str] = frozenset()
    extra: bool = False

    def depends_on(self, earlier: Reading) -> bool:
        """Whether the readings are others after an earlier mistake."""
        return bool(self.reads & earlier.changes.keys())


def mistake(
    name: str, reads: str, readings: Readings, explanation: str, extra: bool = False
) -> Mistake:
    """A `Mistake` with ``reads`` written as words."""
    return Mistake(name, explanation, readings, frozenset(reads.split()), extra)
