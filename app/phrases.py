"""Refusals of the schemas in the form of all others: rule, expectation, what was given."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any, NamedTuple

from attention import say

Loc = list[str | int]


class Phrase(NamedTuple):
    """One refusal; ``repeated`` where the expectation only says the rule again."""

    rule: str
    expected: str
    got: str
    repeated: bool = False

    @property
    def message(self) -> str:
        """Rule, expectation and what was given, in one sentence."""
        expected = "" if self.repeated else f"expected {self.expected}, "
        return f"{self.rule}: {expected}got {self.got}"


KINDS = {
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "text",
    "bool": "true or false",
}
"""What a type of Pydantic's errors asks for, by the word that it begins with."""

BOUNDS = {
    "greater_than_equal": ("ge", "{} or more"),
    "greater_than": ("gt", "more than {}"),
    "less_than_equal": ("le", "at most {}"),
    "less_than": ("lt", "less than {}"),
}
LENGTHS = {"too_short": ("min_length", "at least"), "too_long": ("max_length", "at most")}
OBJECTS = ("model_type", "model_attributes_type", "dict_type")


def phrase(error: dict[str, Any], loc: Loc, known: set[str]) -> Phrase:
    """One error of Pydantic at its place; ``known`` are the names that fields have anywhere."""
    kind, context = str(error["type"]), error.get("ctx", {})
    name, got = place_name(loc), say(error.get("input"))
    word = kind.split("_")[0]
    if kind == "extra_forbidden":
        return _unknown(str(loc[-1]), known)
    if kind == "missing":
        return Phrase(f"{name} is required", name, "nothing", repeated=True)
    if kind == "literal_error":
        return Phrase(f"{name} must be a known choice", _choices(context["expected"]), got)
    if kind in BOUNDS:
        bound, text = BOUNDS[kind]
        return Phrase(
            f"{name} must be within its bounds", text.format(_number(context[bound])), got
        )
    if kind in LENGTHS:
        bound, text = LENGTHS[kind]
        entries = f"{context[bound]} {'entry' if context[bound] == 1 else 'entries'}"
        return Phrase(
            f"{name} is a list of a set length", f"{text} {entries}", str(context["actual_length"])
        )
    if kind in OBJECTS or kind == "list_type":
        what = "a list" if kind == "list_type" else "an object"
        return Phrase(f"{what} must stand here", what, got, repeated=True)
    if word in KINDS:
        return Phrase(f"{name} must be {KINDS[word]}", KINDS[word], got, repeated=True)
    return Phrase(f"{name} must be what the field takes", "see /docs", got)


def unknown_kind(error: dict[str, Any]) -> Phrase:
    """An object whose ``kind`` is missing or none of the known ones."""
    value = error.get("input")
    if not isinstance(value, dict):
        return Phrase("an object with a kind must stand here", "an object", say(value), True)
    expected = str(error["ctx"].get("expected_tags", "one of those that the field takes"))
    got = say(value["kind"]) if "kind" in value else "nothing"
    return Phrase("kind must be a known one", expected, got)


def either(phrases: list[Phrase], name: str) -> Phrase:
    """The ways in which one value fits no branch of a choice, as one refusal."""
    expected = list(dict.fromkeys(phrase.expected for phrase in phrases))
    if len(expected) == 1:
        return phrases[0]
    return Phrase(f"{name} takes one of several forms", " or ".join(expected), phrases[0].got)


def place_name(loc: Loc) -> str:
    """The field at a place, with the index inside it: ``rows[0]``."""
    last = next((i for i in reversed(range(len(loc))) if isinstance(loc[i], str)), None)
    if last is None:
        return "this"
    return f"{loc[last]}" + "".join(f"[{part}]" for part in loc[last + 1 :])


def _unknown(name: str, known: set[str]) -> Phrase:
    near = [] if name in known else get_close_matches(name, sorted(known), n=1)
    expected = f"did you mean {near[0]!r}?" if near else "a field that belongs here"
    return Phrase(f"{name!r} is not a known field", expected, name)


def _choices(quoted: str) -> str:
    """``'a', 'b' or 'c'`` without its quotes."""
    names = re.findall(r"'([^']*)'", quoted)
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


def _number(value: float) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)
