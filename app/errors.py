"""Places of errors inside larger bodies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attention import AttentionError, SpecificationError


@contextmanager
def inside(place: str, *, beside: tuple[str, ...] = ()) -> Iterator[None]:
    """Put ``place`` in front of the location of any refusal raised within.

    Fields named ``beside`` stand next to that place, not inside it, and stay as they are.
    """
    try:
        yield
    except AttentionError as error:
        if error.loc[:1] not in [(name,) for name in beside]:
            error.loc = (place, *error.loc)
        raise


@contextmanager
def concerning(field: str) -> Iterator[None]:
    """Say which field a refusal concerns, where it does not say so itself."""
    try:
        yield
    except AttentionError as error:
        error.loc = error.loc or (field,)
        raise


class UnknownUploadError(SpecificationError):
    """A reference to an upload that is not there: 404."""
