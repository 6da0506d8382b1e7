"""What a saved run says of its calls, checked against the tensors that it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from attention.arrays import DTYPES, say
from attention.capturing.call import SAVED, Call
from attention.errors import FileError
from attention.files import Entry

KEY = "attention_calls"
CONVENTIONS = ("allowed", "blocked", "additive")
KINDS: dict[str, type | tuple[type, ...]] = {
    "module": str,
    "function": str,
    "options": dict,
    "conventions": list,
    "tokens": (list, type(None)),
    "memory_tokens": (list, type(None)),
    "has_hidden_states": bool,
    "has_sinks": bool,
}


def written(calls: list[Call]) -> dict[str, str]:
    """The header of a run."""
    return {KEY: json.dumps([{name: getattr(call, name) for name in SAVED} for call in calls])}


def read(header: Mapping[str, str], entries: Mapping[str, Entry], path: Path) -> list[Call]:
    """The calls of a run; a header that does not fit its tensors is refused."""
    try:
        said = json.loads(header[KEY])
    except (ValueError, RecursionError):
        raise _refused("its header is not JSON") from None
    if not isinstance(said, list):
        raise _refused("its header is no list of calls")
    return [_call(i, entry, entries, path) for i, entry in enumerate(said)]


def _call(i: int, said: Any, entries: Mapping[str, Entry], path: Path) -> Call:
    if not isinstance(said, dict) or said.get("index") != i or not set(said) <= set(SAVED):
        raise _refused(f"call {i} is not described", expected=", ".join(SAVED), got=said)
    for name, kind in KINDS.items():
        if name in said and not isinstance(said[name], kind):
            raise _refused(f"call {i} has {name} of another type", got=said[name])
    try:
        _check_options(said["options"])
        call = Call(**said, file=str(path), dtype="", shapes={})
    except (KeyError, TypeError, ValueError):
        raise _refused(f"call {i} is not described", got=said) from None
    for convention in call.conventions:
        if convention not in CONVENTIONS:
            raise _refused(
                f"call {i} has a mask of no known convention",
                expected=", ".join(CONVENTIONS),
                got=convention,
            )
    missing = [name for name in call.names if call.stored(name) not in entries]
    if missing:
        raise _refused(f"call {i} lacks tensors", got=f"no {call.stored(missing[0])}")
    return _with_shapes(call, entries)


def _with_shapes(call: Call, entries: Mapping[str, Entry]) -> Call:
    found = {name: entries[call.stored(name)] for name in ("q", "k", "v")}
    for name, entry in found.items():
        if len(entry.shape) != 4 or entry.dtype not in DTYPES:
            raise _refused(
                f"{call.stored(name)} holds no heads",
                expected=f"four axes of {', '.join(DTYPES)}",
                got=f"{len(entry.shape)} axes of {entry.dtype}",
            )
    shapes = {name: entry.shape for name, entry in found.items()}
    return replace(call, dtype=found["q"].dtype, shapes=shapes)


def _check_options(said: dict[str, Any]) -> None:
    """What a specification takes; other options are only shown."""
    numbers = (said["scale"], said.get("softcap"))
    sound = all(
        n is None or (isinstance(n, (int, float)) and not isinstance(n, bool)) for n in numbers
    )
    empty = said.get("fully_masked") in (None, "zero", "nan", "uniform")
    if not isinstance(said["causal"], bool) or not sound or not empty:
        raise ValueError


def _refused(what: str, expected: str | None = None, got: object = None) -> FileError:
    return FileError(
        f"a captured run's {KEY} says which calls its tensors are, but {what}",
        loc=("file",),
        expected=expected,
        got=None if got is None else say(got),
    )
