"""Every error as an ``application/problem+json`` body (RFC 9457)."""

from __future__ import annotations

import logging
from difflib import get_close_matches
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from app.errors import UnknownUploadError
from attention import AttentionError, FileError, LimitError, UnreadableFileError, dotted, say

MEDIA_TYPE = "application/problem+json"
log = logging.getLogger("app")
MOST_ERRORS = 20


class ProblemError(Exception):
    """An answer that is an error: status, sentence and the errors at their places."""

    def __init__(self, status: int, detail: str, errors: list[dict[str, Any]] | None = None):
        self.status = status
        self.detail = detail
        self.errors = errors or []
        super().__init__(detail)


class ErrorItem(BaseModel):
    """One error at its place in the request."""

    loc: list[str | int]
    message: str
    expected: str | None = None
    got: str | None = None


class ProblemBody(BaseModel):
    """The body of every error answer (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[ErrorItem] = []


def problem_response(problem: ProblemError, headers: Any = None) -> JSONResponse:
    """The HTTP answer of a problem."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "errors": problem.errors,
    }
    return JSONResponse(body, problem.status, headers=headers, media_type=MEDIA_TYPE)


def from_attention(error: AttentionError) -> ProblemError:
    """A refusal of the library, with the single places if it has several."""
    if isinstance(error, FileError) and error.parts:
        parts = [{**_item(error.loc, error), "message": part, "got": None} for part in error.parts]
        return ProblemError(status_of(error), str(error), parts)
    return ProblemError(status_of(error), str(error), [_item(error.loc, error)])


def status_of(error: object) -> int:
    """413 over a limit, 404 without the upload, 400 for a file that cannot be read, else 422."""
    known = {LimitError: 413, UnknownUploadError: 404, UnreadableFileError: 400}
    return next((status for kind, status in known.items() if isinstance(error, kind)), 422)


def from_validation(error: ValidationError, body: Any, model: type[BaseModel]) -> ProblemError:
    """Refusals of the schema, each at its place."""
    known = _field_names(model)
    found = error.errors(include_url=False)
    items = _one_a_place([_validation_item(dict(e), body, known) for e in found[:MOST_ERRORS]])
    first = items[0]
    rest = len(items) - 1 + max(0, len(found) - MOST_ERRORS)
    more = f" (and {rest} more)" if rest else ""
    place = dotted(tuple(first["loc"]))
    status = 404 if any(status_of(_cause(e)) == 404 for e in found) else 422
    return ProblemError(status, (f"{place}: " if place else "") + first["message"] + more, items)


def _one_a_place(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The ways in which one value fits no branch of a choice, as one error."""
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for item in items:
        before = found.setdefault(tuple(item["loc"]), item)
        if before is not item and before["expected"] != item["expected"]:
            before["expected"] = f"{before['expected']}, or: {item['expected']}"
            before["message"] = f"{before['expected']}, got {before['got']}"
    return list(found.values())


def _cause(error: Any) -> object:
    return error.get("ctx", {}).get("error")


def _item(loc: tuple[Any, ...], error: AttentionError) -> dict[str, Any]:
    return {
        "loc": list(loc),
        "message": error.message,
        "expected": None if error.expected is None else str(error.expected),
        "got": None if error.got is None else str(error.got),
    }


def _validation_item(error: dict[str, Any], body: Any, known: set[str]) -> dict[str, Any]:
    loc = _without_tags(error["loc"], body, error["type"])
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, AttentionError):
        return _item(tuple(loc) + cause.loc, cause)
    got = say(error.get("input"))
    message, expected = str(error["msg"]), None
    if error["type"] == "extra_forbidden":
        elsewhere = loc[-1] in known
        near = [] if elsewhere else get_close_matches(str(loc[-1]), sorted(known), n=1)
        expected = f"did you mean {near[0]!r}?" if near else "a field that belongs here"
        message = f"{loc[-1]!r} is not a known field: {expected}"
        got = str(loc[-1])
    elif error["type"] in ("model_type", "model_attributes_type", "dict_type"):
        message = expected = "an object must stand here"
    elif error["type"] == "missing":
        message, got = f"{loc[-1]} is required", "nothing"
    elif error["type"].startswith("union_tag"):
        expected = error["ctx"].get("expected_tags", "one of those that the field takes")
        message = f"kind must be a known one: expected {expected}"
        loc, got = [*loc, "kind"], say((error.get("input") or {}).get("kind"))
    return {
        "loc": loc,
        "message": f"{message}, got {got}",
        "expected": expected or message,
        "got": got,
    }


def _without_tags(loc: tuple[Any, ...], body: Any, kind: str) -> list[str | int]:
    """Drop the names of union members, which are no places in the body."""
    found: list[str | int] = []
    for i, part in enumerate(loc):
        if (isinstance(body, dict) and part in body) or (
            isinstance(body, list) and isinstance(part, int) and part < len(body)
        ):
            found.append(part)
            body = body[part]
        elif kind == "missing" and i == len(loc) - 1:
            found.append(part)
    return found


def _field_names(model: type[BaseModel]) -> set[str]:
    """Names of all fields of a model and of the models inside it."""
    schema = model.model_json_schema()
    parts = [schema, *schema.get("$defs", {}).values()]
    return {name for part in parts for name in part.get("properties", {})}


def install(app: FastAPI) -> None:
    """Answer every error of the app as a problem body."""

    def on_http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        detail = f"{request.method} {request.url.path}: {error.detail}"
        return problem_response(ProblemError(error.status_code, detail), error.headers)

    def on_problem(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ProblemError)
        return problem_response(error)

    def on_attention(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, AttentionError)
        return problem_response(from_attention(error))

    def on_query(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        items = [
            {
                "loc": list(e["loc"][1:]),
                "message": f"{e['msg']}, got {say(e.get('input'))}",
                "expected": str(e["msg"]),
                "got": say(e.get("input")),
            }
            for e in error.errors()
        ]
        place = dotted(tuple(items[0]["loc"]))
        return problem_response(ProblemError(422, f"{place}: {items[0]['message']}", items))

    def on_other(request: Request, error: Exception) -> JSONResponse:
        log.exception("unexpected error", exc_info=error)
        return problem_response(ProblemError(500, "an error of ours; it has been logged"))

    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(ProblemError, on_problem)
    app.add_exception_handler(AttentionError, on_attention)
    app.add_exception_handler(RequestValidationError, on_query)
    app.add_exception_handler(Exception, on_other)
