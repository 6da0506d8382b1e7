"""The one tree of errors: every message states the rule, what was expected and what was given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]


class AttentionError(ValueError):
    """A request that cannot be computed.

    ``loc`` is the path into the specification, for example ``("masks", 0, "lengths")``.
    """

    def __init__(
        self, rule: str, *, loc: Path = (), expected: object = None, got: object = None
    ) -> None:
        self.rule = rule
        self.loc = loc
        self.expected = expected
        self.got = got
        super().__init__(self.message)

    @property
    def message(self) -> str:
        """Rule, expectation and what was given, in one sentence."""
        parts = [self.rule]
        if self.expected is not None:
            parts.append(f"expected {self.expected}")
        if self.got is not None:
            parts.append(f"got {self.got}")
        return parts[0] + (": " + ", ".join(parts[1:]) if parts[1:] else "")

    def __str__(self) -> str:
        place = dotted(self.loc)
        return f"{place}: {self.message}" if place else self.message


class SpecificationError(AttentionError):
    """The specification makes no sense: a wrong type, range, name or combination."""


class ShapeError(SpecificationError):
    """An array has the wrong number of axes, the wrong length, or ragged rows."""


class FileError(SpecificationError):
    """A file holds no usable numbers; ``parts`` are the single places, if there are several."""

    def __init__(self, rule: str, *, parts: Iterable[str] = (), **said: object) -> None:
        super().__init__(rule, **said)  # type: ignore[arg-type]
        self.parts = tuple(parts)


class UnreadableFileError(FileError):
    """A file is not what its name says: cut short, damaged, or with a header that lies."""


class LimitError(AttentionError):
    """The request is larger than the stated ``limit``, a name such as ``max_tokens``."""

    def __init__(
        self, what: str, *, limit: str, loc: Path = (), expected: object, got: object
    ) -> None:
        self.limit = limit
        super().__init__(f"{what}: over the limit {limit}", loc=loc, expected=expected, got=got)


def dotted(loc: Path) -> str:
    """``("masks", 0, "lengths")`` as ``masks[0].lengths``."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def shape_text(shape: Iterable[int]) -> str:
    """A shape as people write it: ``[2][3][4]``."""
    return "".join(f"[{n}]" for n in shape) or "a single number"
