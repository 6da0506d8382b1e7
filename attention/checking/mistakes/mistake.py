"""What the table of mistakes is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention.checking.attempt import Attempt, Slip

if TYPE_CHECKING:
    from attention.checking.workbench import Workbench

Slips = Callable[[Attempt, "Workbench"], Iterable[Slip]]


@dataclass(frozen=True)
class Mistake:
    """A classic mistake: its name, what to tell who made it, and the ways to make it.

    ``reads`` are the fields of the specification that its slips are made from; a mistake
    before it that changed one of them makes them anew. ``extra`` ones are named last.
    """

    name: str
    explanation: str
    slips: Slips
    reads: frozenset[str] = frozenset()
    extra: bool = False

    def told(self, slip: Slip) -> str:
        """The explanation, with the way in which the mistake was made."""
        return self.explanation + (f" Here: {slip.detail}." if slip.detail else "")

    def depends_on(self, earlier: Slip) -> bool:
        """Whether the slips are others after an earlier mistake."""
        return bool(self.reads & earlier.changes.keys())


def mistake(name: str, reads: str, slips: Slips, explanation: str, extra: bool = False) -> Mistake:
    """A `Mistake` with ``reads`` written as words."""
    return Mistake(name, explanation, slips, frozenset(reads.split()), extra)
