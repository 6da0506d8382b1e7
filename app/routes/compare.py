"""``POST /api/compare``: two specifications, stage by stage."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import APIRouter, Response

from app.compute import compute, validated
from app.encode import Encoding, encode, number
from app.errors import inside
from app.examples import EXAMPLES
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, PoolDep, SettingsDep
from app.schemas.requests import CompareBody
from app.settings import Settings
from attention import Comparison, Difference, compare

router = APIRouter(prefix="/api", tags=["attention"])


EXAMPLE = {"a": EXAMPLES[0]["spec"], "b": {**EXAMPLES[0]["spec"], "scale": 1.0}}


@router.post(
    "/compare",
    **computing(
        CompareBody,
        "Compare two specifications stage by stage",
        body_examples("scale_off", "The hand-worked case with and without the scale", EXAMPLE),
    ),
)
async def compare_runs(
    body: BodyDep, pool: PoolDep, settings: SettingsDep, encoding: EncodingQuery = "list"
) -> Response:
    """a − b of every stage, the largest difference and the first differing cell."""
    answer = await pool.run(_answer, body, settings, encoding)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding) -> bytes:
    request = validated(CompareBody, body)
    with inside("a"):
        a = compute(request.a, settings)
    with inside("b"):
        b = compute(request.b, settings)
    return orjson.dumps(comparison_answer(compare(a, b), encoding))


def comparison_answer(found: Comparison, encoding: Encoding) -> dict[str, Any]:
    """The JSON form of a comparison."""
    return {
        "stages": {name: _stage(stage, encoding) for name, stage in found.stages.items()},
        "incomparable": found.incomparable,
    }


def _stage(stage: Difference, encoding: Encoding) -> dict[str, Any]:
    return {
        "max_abs": number(stage.max_abs),
        "mean_abs": number(stage.mean_abs),
        "at": stage.at,
        "first": stage.first,
        "difference": encode(stage.difference, encoding),
    }
