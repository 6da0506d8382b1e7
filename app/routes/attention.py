"""``POST /api/attention``: the whole result of one specification."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from app.answer import attention_answer, chosen_tensors, split_names
from app.compute import compute, validated
from app.demand import bytes_answered
from app.encode import Form
from app.limits import itemsize
from app.openapi import MEDIA_TYPES, RAW_OR_JSON, computing, specification_examples
from app.raw import asked_form
from app.routes.dependencies import BodyDep, EncodingQuery, IncludeQuery, PoolDep, SettingsDep
from app.schemas.specification import SpecificationBody
from app.settings import Settings
from app.waiting import Alive, answered

router = APIRouter(prefix="/api", tags=["attention"])


@router.post(
    "/attention",
    **computing(
        SpecificationBody,
        "Compute attention; answer every stage of every head",
        specification_examples(),
        {
            "description": "see the README for the answer's fields; for"
            " `Accept: application/octet-stream` a safetensors file of the tensors, the rest of the"
            " answer as JSON in its metadata",
            "content": RAW_OR_JSON,
        },
    ),
)
async def attention(
    request: Request,
    body: BodyDep,
    pool: PoolDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
    include: IncludeQuery = None,
) -> Response:
    """Project, score, mask, normalise, mix and merge; each stage is one of `tensors`."""
    form = asked_form(request, encoding)
    return await answered(pool, MEDIA_TYPES[form], _answer, body, settings, form, include)


def _answer(
    alive: Alive, body: bytes, settings: Settings, form: Form, include: str | None
) -> bytes:
    alive()
    request = validated(SpecificationBody, body, settings)
    asked = None if include is None else split_names(include)
    names = chosen_tensors(asked, request.dropout is not None, ("include",))
    spec = request.specification()
    result = compute(spec, settings, bytes_answered(names, form, itemsize(spec)))
    alive()
    return attention_answer(result, names, form)
