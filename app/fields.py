"""A change to a specification as JSON, where it is short enough to be worth sending."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from app.encode import encode, number

LONGEST_FIELDS = 2**16
"""Numbers that a change may hold; a larger one is told in words alone."""


def fields_json(fields: dict[str, Any]) -> dict[str, Any] | None:
    """Arrays as nested lists, numbers that are not finite by name; None for too many."""
    if _count(fields) > LONGEST_FIELDS:
        return None
    return {name: _json(part) for name, part in fields.items()}


def _json(value: Any) -> Any:
    if isinstance(value, Tensor):
        return encode(value, "list")
    if isinstance(value, dict):
        return {name: _json(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_json(part) for part in value]
    return number(value) if isinstance(value, float) and not math.isfinite(value) else value


def _count(value: Any) -> int:
    """Numbers of all arrays inside."""
    if isinstance(value, Tensor):
        return value.numel()
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return sum(map(_count, parts))
