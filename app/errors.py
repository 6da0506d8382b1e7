"""Places of errors inside larger bodies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from attention import AttentionError


@contextmanager
def inside(*place: str | int) -> Iterator[None]:
    """Put ``place`` in front of the location of any refusal raised within."""
    try:
        yield
    except AttentionError as error:
        error.loc = place + error.loc
        raise
