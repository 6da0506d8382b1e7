"""Request bodies: bounded, and read as strict JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isinf
from typing import Any, NoReturn

from fastapi import Request
from starlette.requests import ClientDisconnect

from app.guards.admission import count_body
from app.json_in_pieces import Decoder
from app.places import current
from app.problems import ProblemError, from_attention
from app.settings import Settings
from app.waiting import alive
from attention import SpecificationError, say

LONG = 2**18
"""Characters of a text that is read in pieces."""
LARGEST = sys.float_info.max
INFINITE = (inf, -inf)


async def bounded_body(request: Request) -> bytes:
    """The raw body, refused as soon as it is larger than the setting allows."""
    settings: Settings = request.app.state.settings
    kind = request.headers.get("content-type", "application/json").split(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise ProblemError(415, f"the body is JSON: expected application/json, got {kind}")
    refuse_packed(request)
    limit = settings.max_body_bytes
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > limit:
        raise _too_large(int(said), limit)
    chunks, size = [], 0
    try:
        async for chunk in request.stream():
            size += len(chunk)
            if size > limit:
                raise _too_large(size, limit)
            count_body(current(), chunk)
            chunks.append(chunk)
    except ClientDisconnect:
        raise ProblemError(400, "the body ended before its announced length") from None
    return b"".join(chunks)


def refuse_packed(request: Request) -> None:
    """A packed body could unpack to any size, and nothing that we are sent needs packing."""
    coding = request.headers.get("content-encoding", "identity").strip().lower()
    if coding not in ("", "identity"):
        raise ProblemError(
            415, f"a body is sent as it is: expected no content-encoding, got {say(coding)}"
        )


def _too_large(size: int, limit: int) -> ProblemError:
    return ProblemError(
        413,
        f"request body over the limit max_body_bytes: expected at most {limit} bytes"
        f" (raised by the setting ATTENTION_MAX_BODY_BYTES), got {size} or more",
    )


def read_json(body: bytes) -> Any:
    """Parse strictly: UTF-8, no bare NaN or Infinity, no key twice, no number beyond float64."""
    faults: list[Fault] = []
    try:
        text = body.decode("utf-8")
        value = _parsed(text, faults, float)
        if holds_infinity(value):
            # Only a number beyond float64 becomes one: it is read again to be quoted.
            faults.clear()
            value = _parsed(text, faults, lambda number: _finite(number, faults))
        if b"\\ud" in body.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ProblemError(
            400, "the body holds half of a surrogate pair, which is no text"
        ) from None
    except UnicodeDecodeError as error:
        raise ProblemError(
            400, f"the body is not UTF-8: byte {error.start} cannot be read"
        ) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ProblemError(400, f"the body is not JSON: {error.msg} at {place}") from None
    except RecursionError:
        raise ProblemError(400, "the body is nested too deeply to be read") from None
    except ValueError:
        raise ProblemError(400, "the body holds an integer of too many digits to read") from None
    if faults:
        raise _refusal(faults, value)
    return value


def _parsed(text: str, faults: list[Fault], number: Callable[[str], float]) -> Any:
    """``float`` itself is read in C; any other function costs as much as all the rest."""
    long: dict[str, Any] = {"cls": Decoder, "turn": alive} if len(text) > LONG else {}
    return json.loads(
        text,
        **long,
        object_pairs_hook=lambda pairs: _unique(pairs, faults),
        parse_float=number,
        parse_constant=_refuse_constant,
    )


def holds_infinity(value: Any) -> bool:
    """Whether a parsed body has an infinite number; lists that begin with a float hold no lists."""
    waiting = [value]
    for here in waiting:
        if isinstance(here, dict):
            waiting += here.values()
        elif isinstance(here, list):
            numbers = bool(here) and isinstance(here[0], float)
            waiting += [n for n in INFINITE if n in here] if numbers else here
        elif isinstance(here, float) and isinf(here):
            return True
    return False


@dataclass(frozen=True)
class Fault:
    """What may not stand in a body: the parsed value that it is or is in, the rule, the numbers."""

    value: object
    key: tuple[str, ...]
    rule: str
    expected: str
    got: str


def _refuse_constant(name: str) -> NoReturn:
    raise ProblemError(
        400, f'JSON has no bare {name}: expected the string "{name}" in its place, got {name}'
    )


def _unique(pairs: list[tuple[str, Any]], faults: list[Fault]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        faults.append(
            Fault(found, (twice,), f"{twice!r} stands once in an object", "once", "twice")
        )
    return found


def _finite(text: str, faults: list[Fault]) -> float:
    value = float(text)
    if isinf(value):
        expected = f'at most {LARGEST} in size, or the string "Infinity"'
        faults.append(Fault(value, (), "numbers must fit float64", expected, say(text)))
    return value


def _refusal(faults: list[Fault], body: Any) -> ProblemError:
    """The first fault that can be reached, at its place: a key given twice hides a value."""
    placed = ((_path_to(fault.value, body), fault) for fault in faults)
    path, fault = next((path, fault) for path, fault in placed if path is not None)
    loc = (*path, *fault.key)
    error = SpecificationError(fault.rule, loc=loc, expected=fault.expected, got=fault.got)
    return from_attention(error)


def _path_to(value: object, body: Any) -> tuple[str | int, ...] | None:
    """Where this very object is in a parsed body."""
    waiting: list[tuple[tuple[str | int, ...], Any]] = [((), body)]
    for path, here in waiting:
        if here is value:
            return path
        if isinstance(here, dict):
            waiting += [((*path, key), item) for key, item in here.items()]
        elif isinstance(here, list):
            waiting += [((*path, i), item) for i, item in enumerate(here)]
    return None
