"""Build a part of the specification (a mask, a bias, …) from its plain dictionary form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from typing import Any, TypeVar

from attention.arrays import say
from attention.errors import Path, SpecificationError

T = TypeVar("T")


def build(kinds: Mapping[str, Any], value: Any, loc: Path) -> Any:
    """The dataclass that ``value["kind"]`` names, with the other entries as its fields."""
    if isinstance(value, tuple(kinds.values())):
        return value
    if not isinstance(value, Mapping):
        raise SpecificationError("an object with a kind must stand here", loc=loc, got=say(value))
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in kinds:
        raise SpecificationError(
            "kind must be a known one",
            loc=(*loc, "kind"),
            expected=", ".join(kinds),
            got=say(kind),
        )
    return from_fields(kinds[kind], {k: v for k, v in value.items() if k != "kind"}, loc)


def from_fields(kind: type[T], value: Any, loc: Path) -> T:
    """``kind(**value)``; unknown and missing names are refused by name."""
    if isinstance(value, kind):
        return value
    if not isinstance(value, Mapping):
        raise SpecificationError("an object must stand here", loc=loc, got=say(value))
    known = {f.name: f for f in fields(kind)}  # type: ignore[arg-type]
    refuse_unknown(value, known, loc)
    for name, field in known.items():
        if name not in value and field.default is MISSING and field.default_factory is MISSING:
            raise SpecificationError(f"{name} is required", loc=(*loc, name))
    return kind(**value)


def refuse_unknown(names: Any, known: Any, loc: Path) -> None:
    """Refuse the first name that is not known, with the nearest that is."""
    for name in names:
        if name not in known:
            near = get_close_matches(str(name), list(known), n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"one of {', '.join(known)}"
            raise SpecificationError(
                f"{name!r} is not a known field", loc=(*loc, str(name)), expected=hint
            )
