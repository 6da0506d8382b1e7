"""One way to compute, right or wrong: a specification and the habits that it cannot say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from attention.specification import Specification

Habit = Literal[
    "split_by_reshape",
    "kv_tiled",
    "cap_after_biases",
    "cap_after_masks",
    "softmax_over_queries",
    "softmax_over_heads",
    "averaged",
    "dropped",
    "merged_by_reshape",
]
NONE: frozenset[Habit] = frozenset()


@dataclass(frozen=True)
class Slip:
    """One way in which a mistake is made.

    ``changes`` are fields of the specification, ``habits`` steps done otherwise. ``fields``
    says the same as a specification where ``changes`` do not. ``unlikely`` ones are named
    after others that explain as much.
    """

    detail: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    habits: frozenset[Habit] = NONE
    fields: Mapping[str, Any] | None = None
    unlikely: bool = False

    @property
    def said(self) -> Mapping[str, Any]:
        """What to change in the specification."""
        return self.changes if self.fields is None else self.fields

    @property
    def sayable(self) -> bool:
        """Whether a specification can say this mistake."""
        return not self.habits or self.fields is not None


@dataclass(frozen=True)
class Attempt:
    """What is computed, and what stands in for the specification's own numbers."""

    spec: Specification
    habits: frozenset[Habit] = NONE

    def with_slip(self, slip: Slip) -> Attempt:
        """The same with one mistake more."""
        spec = replace(self.spec, **slip.changes) if slip.changes else self.spec
        return Attempt(spec, self.habits | slip.habits)

    @property
    def softmax_axis(self) -> int:
        """The axis of [B, H, T, S] that the softmax runs over."""
        if not self.habits:
            return 3
        if "softmax_over_queries" in self.habits:
            return 2
        return 1 if "softmax_over_heads" in self.habits else 3
