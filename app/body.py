"""Request bodies: bounded, and read as strict JSON."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from fastapi import Request
from starlette.requests import ClientDisconnect

from app.problems import ProblemError
from app.settings import Settings


async def bounded_body(request: Request) -> bytes:
    """The raw body, refused as soon as it is larger than the setting allows."""
    settings: Settings = request.app.state.settings
    kind = request.headers.get("content-type", "application/json").split(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise ProblemError(415, f"the body is JSON: expected application/json, got {kind}")
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
            chunks.append(chunk)
    except ClientDisconnect:
        raise ProblemError(400, "the body ended before its announced length") from None
    return b"".join(chunks)


def _too_large(size: int, limit: int) -> ProblemError:
    return ProblemError(
        413,
        f"request body over the limit max_body_bytes: expected at most {limit} bytes"
        f" (raised by the setting ATTENTION_MAX_BODY_BYTES), got {size} or more",
    )


def read_json(body: bytes) -> Any:
    """Parse strictly: UTF-8, no bare NaN or Infinity, no duplicate keys."""
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_refuse_constant
        )
        if b"\\ud" in body.lower():
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        return value
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


def _refuse_constant(name: str) -> NoReturn:
    raise ProblemError(
        400, f'JSON has no bare {name}: expected the string "{name}" in its place, got {name}'
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ProblemError(
            422,
            f"a key stands once in an object: {twice!r} stands twice",
            [
                {
                    "loc": [twice],
                    "message": f"{twice!r} stands twice in one object",
                    "expected": "each key once",
                    "got": "twice",
                }
            ],
        )
    return found
