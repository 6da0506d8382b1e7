"""Which keys a run of queries can see at all, and which they all see: so that work is skipped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce


@dataclass(frozen=True)
class Reach:
    """Keys outside ``[first, last)`` are hidden from every query of a run; those inside
    ``[sure_first, sure_last)`` are visible to every one of them. Between, the mask decides.
    """

    first: int
    last: int
    sure_first: int
    sure_last: int

    @classmethod
    def undecided(cls, S: int) -> Reach:
        """Any of the S keys, none for sure."""
        return cls(0, S, 0, 0)

    @classmethod
    def everything(cls, S: int) -> Reach:
        """All of the S keys."""
        return cls(0, S, 0, S)

    @property
    def sees_something(self) -> bool:
        """Whether every query of the run surely sees a key."""
        return self.sure_first < self.sure_last

    def within(self, S: int) -> Reach:
        """Cut to the keys that exist, empty ranges at a place inside."""
        first, last = _cut(self.first, self.last, 0, S)
        return Reach(first, last, *_cut(self.sure_first, self.sure_last, first, last))

    def unsure(self, cols: slice) -> list[slice]:
        """The parts of some keys that not every query surely sees: masks have to be asked."""
        first, last = max(self.sure_first, cols.start), min(self.sure_last, cols.stop)
        sides = (slice(cols.start, first), slice(last, cols.stop)) if first < last else (cols,)
        return [side for side in sides if side.start < side.stop]


def common(reaches: Iterable[Reach], S: int) -> Reach:
    """What is left when several masks must all allow a key."""

    def both(a: Reach, b: Reach) -> Reach:
        return Reach(
            max(a.first, b.first), min(a.last, b.last),
            max(a.sure_first, b.sure_first), min(a.sure_last, b.sure_last),
        ).within(S)  # fmt: skip

    return reduce(both, reaches, Reach.everything(S))


def united(reaches: Iterable[Reach]) -> Reach:
    """What holds for several runs of queries at once, such as the items of a batch."""

    def either(a: Reach, b: Reach) -> Reach:
        return Reach(
            min(a.first, b.first), max(a.last, b.last),
            max(a.sure_first, b.sure_first), min(a.sure_last, b.sure_last),
        )  # fmt: skip

    return reduce(either, reaches)


def _cut(first: int, last: int, low: int, high: int) -> tuple[int, int]:
    first = min(max(first, low), high)
    return first, max(first, min(last, high))
