"""``POST /api/attention``: the whole result of one specification."""

from __future__ import annotations

from fastapi import APIRouter, Response

from app.answer import attention_answer, chosen_tensors, split_names
from app.compute import compute, validated
from app.demand import bytes_answered
from app.encode import Encoding
from app.limits import itemsize
from app.openapi import computing, specification_examples
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
    ),
)
async def attention(
    body: BodyDep,
    pool: PoolDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
    include: IncludeQuery = None,
) -> Response:
    """Project, score, mask, normalise, mix and merge; each stage is one of `tensors`."""
    return await answered(pool, "application/json", _answer, body, settings, encoding, include)


def _answer(
    alive: Alive, body: bytes, settings: Settings, encoding: Encoding, include: str | None
) -> bytes:
    alive()
    request = validated(SpecificationBody, body, settings)
    asked = None if include is None else split_names(include)
    names = chosen_tensors(asked, request.dropout is not None, ("include",))
    spec = request.specification()
    result = compute(spec, settings, bytes_answered(names, encoding, itemsize(spec)))
    alive()
    return attention_answer(result, names, encoding)
