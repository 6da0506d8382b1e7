"""What the OpenAPI page says of bodies that we read ourselves."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from app.examples import EXAMPLES
from app.problems import MEDIA_TYPE, ProblemBody
from app.raw import MEDIA_TYPE as RAW
from app.schemas.requests import BODIES
from app.schemas.specification import SpecificationBody

JSON = "application/json"
MEDIA_TYPES = {"list": JSON, "base64": JSON, "raw": RAW}
RAW_OR_JSON: dict[str, Any] = {
    JSON: {"schema": {"type": "object"}},
    RAW: {"schema": {"type": "string", "format": "binary"}},
}
REFERENCE = "#/components/schemas/{model}"
MODELS = (SpecificationBody, *BODIES, ProblemBody)
PROBLEMS = {
    400: "not JSON, not UTF-8, or a bare NaN or Infinity",
    413: "over a stated limit; the message names it, its value and the setting that raises it",
    404: "no upload has this id",
    415: "a body or a file of a kind that is not read",
    429: "as many requests of this address are under way as may be; see Retry-After",
    503: "all places are taken, the time is over, or the server is stopping; see Retry-After",
    422: "a specification that makes no sense, each error at its place",
}


def computing(
    model: type[BaseModel],
    summary: str,
    examples: dict[str, Any],
    answer: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Summary, body, examples and answers of a route that reads its body itself."""
    return {
        "summary": summary,
        "openapi_extra": {
            "requestBody": {
                "required": True,
                "content": {
                    JSON: {
                        "schema": _reference(model.__name__),
                        "examples": examples,
                    }
                },
            }
        },
        "responses": {
            200: answer
            or {
                "description": "see the README for the answer's fields",
                "content": {JSON: {"schema": {"type": "object"}}},
            },
            **problems(*PROBLEMS),
        },
    }


def specification_examples() -> dict[str, Any]:
    """The ready specifications that are short enough to read."""
    return {
        example["name"]: {"summary": example["title"], "value": example["spec"]}
        for example in EXAMPLES
        if len(str(example["spec"])) < 5_000
    }


def body_examples(name: str, summary: str, value: Any) -> dict[str, Any]:
    """One real example body."""
    return {name: {"summary": summary, "value": value}}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Error answers of a route."""
    content = {MEDIA_TYPE: {"schema": _reference("ProblemBody")}}
    return {status: {"description": PROBLEMS[status], "content": content} for status in statuses}


def _reference(name: str) -> dict[str, str]:
    return {"$ref": REFERENCE.format(model=name)}


HERE = "./"
"""The server of the document itself, also where a proxy shows it below a path."""


def install(app: FastAPI) -> None:
    """Add the schemas of self-read bodies to the app's OpenAPI document."""
    plain = app.openapi

    def with_models() -> dict[str, Any]:
        document = plain()
        _, found = models_json_schema(
            [(model, "validation") for model in MODELS], ref_template=REFERENCE
        )
        document.setdefault("components", {}).setdefault("schemas", {}).update(found["$defs"])
        document["servers"] = [{"url": HERE}]
        return document

    app.openapi = with_models  # type: ignore[method-assign]
