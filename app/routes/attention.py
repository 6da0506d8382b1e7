"""``POST /api/attention``: the whole result of one specification."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from app.answer import DEFAULT, ON_REQUEST, attention_answer, chosen_tensors
from app.compute import compute, validated
from app.encode import Encoding
from app.openapi import computing, specification_examples
from app.routes.dependencies import BodyDep, EncodingQuery, PoolDep, SettingsDep
from app.schemas.specification import SpecificationBody
from app.settings import Settings

router = APIRouter(prefix="/api", tags=["attention"])
IncludeQuery = Annotated[
    str | None,
    Query(
        description=f"comma-separated tensors of: {', '.join(DEFAULT + ON_REQUEST)}",
        examples=["scores,weights"],
    ),
]


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
    answer = await pool.run(_answer, body, settings, encoding, include)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding, include: str | None) -> bytes:
    request = validated(SpecificationBody, body)
    asked = None if include is None else [name.strip() for name in include.split(",")]
    names = chosen_tensors(asked, request.dropout is not None, ("include",))
    return attention_answer(compute(request, settings), names, encoding)
