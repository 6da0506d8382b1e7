"""Every error as an ``application/problem+json`` body (RFC 9457)."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from app.errors import UnknownUploadError
from app.phrases import Phrase, either, phrase, place_name, unknown_kind
from attention import AttentionError, FileError, LimitError, UnreadableFileError, dotted

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20


class ProblemError(Exception):
    """An answer that is an error: status, sentence and the errors at their places.

    ``retry_after`` are the seconds after which to try again, where that may help.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        errors: list[dict[str, Any]] | None = None,
        *,
        retry_after: int | None = None,
    ):
        self.status = status
        self.detail = detail
        self.errors = errors or []
        self.retry_after = retry_after
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
    body = problem_body(problem)
    if problem.retry_after is not None:
        headers = {**(headers or {}), "retry-after": str(problem.retry_after)}
    return JSONResponse(body, problem.status, headers=headers, media_type=MEDIA_TYPE)


def problem_body(problem: ProblemError) -> dict[str, Any]:
    """A problem as RFC 9457 writes it."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "errors": problem.errors,
    }


def from_attention(error: AttentionError) -> ProblemError:
    """A refusal of the library, with the single places if it has several."""
    _name_setting(error)
    if isinstance(error, FileError) and error.parts:
        parts = [{**_item(error.loc, error), "message": part, "got": None} for part in error.parts]
        return ProblemError(status_of(error), str(error), parts)
    return ProblemError(status_of(error), str(error), [_item(error.loc, error)])


def _name_setting(error: AttentionError) -> None:
    """Say what raises a limit."""
    if isinstance(error, LimitError):
        error.expected = f"{error.expected} (raised by the setting ATTENTION_{error.limit.upper()})"


def status_of(error: object) -> int:
    """413 over a limit, 404 without the upload, 400 for a file that cannot be read, else 422."""
    known = {LimitError: 413, UnknownUploadError: 404, UnreadableFileError: 400}
    return next((status for kind, status in known.items() if isinstance(error, kind)), 422)


def from_validation(error: ValidationError, body: Any, model: type[BaseModel]) -> ProblemError:
    """Refusals of the schema, each at its place."""
    known = _field_names(model)
    found = error.errors(include_url=False)
    items = _validation_items([dict(e) for e in found[:MOST_ERRORS]], body, known)
    first = items[0]
    rest = len(items) - 1 + max(0, len(found) - MOST_ERRORS)
    more = f" (and {rest} more)" if rest else ""
    place = dotted(tuple(first["loc"]))
    statuses = {status_of(_cause(e)) for e in found}
    status = next((status for status in (404, 413) if status in statuses), 422)
    return ProblemError(status, (f"{place}: " if place else "") + first["message"] + more, items)


def _cause(error: Any) -> object:
    return error.get("ctx", {}).get("error")


def _item(loc: tuple[Any, ...], error: AttentionError) -> dict[str, Any]:
    return {
        "loc": list(loc),
        "message": error.message,
        "expected": None if error.expected is None else str(error.expected),
        "got": None if error.got is None else str(error.got),
    }


def _validation_items(
    errors: list[dict[str, Any]], body: Any, known: set[str]
) -> list[dict[str, Any]]:
    """One item a place, whichever branches of a choice the value fits not."""
    found: dict[tuple[str | int, ...], list[Phrase]] = {}
    items: dict[tuple[str | int, ...], dict[str, Any]] = {}
    for error in errors:
        loc = _without_tags(error["loc"], body, error["type"])
        cause = _cause(error)
        if isinstance(cause, AttentionError):
            place = (*loc, *cause.loc)
            _name_setting(cause)
            items.setdefault(place, _item(place, cause))
            continue
        tagged = error["type"].startswith("union_tag")
        said = unknown_kind(error) if tagged else phrase(error, loc, known)
        loc = [*loc, "kind"] if tagged and isinstance(error.get("input"), dict) else loc
        said_here = found.setdefault(tuple(loc), [])
        said_here.append(said)
        items[tuple(loc)] = _phrase_item(loc, either(said_here, place_name(loc)))
    return list(items.values())


def _phrase_item(loc: list[str | int], said: Phrase) -> dict[str, Any]:
    return {"loc": loc, "message": said.message, "expected": said.expected, "got": said.got}


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
        errors = [{**e, "loc": tuple(e["loc"][1:])} for e in error.errors()]
        items = [_phrase_item(list(e["loc"]), phrase(e, list(e["loc"]), set())) for e in errors]
        place = dotted(tuple(items[0]["loc"]))
        return problem_response(ProblemError(422, f"{place}: {items[0]['message']}", items))

    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(ProblemError, on_problem)
    app.add_exception_handler(AttentionError, on_attention)
    app.add_exception_handler(RequestValidationError, on_query)
