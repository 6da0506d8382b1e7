"""The one of several runs that is answered in full."""

from __future__ import annotations

from collections.abc import Iterable

from attention import SpecificationError, say


def unknown(what: str, name: str, names: Iterable[str]) -> SpecificationError:
    """``show`` names none of the runs."""
    return SpecificationError(
        f"show names a {what} of the answer",
        loc=("show",),
        expected=f"one of {', '.join(names)}",
        got=say(name),
    )
