"""``POST /api/compare``: two specifications, stage by stage."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import APIRouter, Response

from app.answer import chosen_tensors, description, split_names
from app.compute import compute, validated
from app.encode import Encoding, encode, number
from app.errors import inside
from app.examples import EXAMPLES
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, IncludeQuery, PoolDep, SettingsDep
from app.schemas.requests import CompareBody, MergedHeads
from app.settings import Settings
from app.waiting import alive
from attention import (
    VARIANTS,
    Comparison,
    Difference,
    Result,
    Specification,
    SpecificationError,
    compare,
    merge_kv_heads,
)

router = APIRouter(prefix="/api", tags=["attention"])


INCLUDE = ("include",)
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
    body: BodyDep,
    pool: PoolDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
    include: IncludeQuery = None,
) -> Response:
    """a − b of every stage, the largest difference and the first differing cell.

    With `include`, the answer also holds the named tensors of both runs under `a` and `b`, and
    the runs' heads, steps, tokens and masks under `runs`.
    """
    answer = await pool.run(_answer, body, settings, encoding, include)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding, include: str | None) -> bytes:
    request = validated(CompareBody, body, settings)
    with inside("a"):
        spec = request.a.specification()
        a = compute(spec, settings)
    alive()
    b = compute_other(request, spec, settings)
    return orjson.dumps(compared_answer(compare(a, b), a, b, encoding, include))


def compute_other(request: CompareBody, spec: Specification, settings: Settings) -> Result:
    """The run of ``b``, or of the variant of a."""
    if (request.b is None) == (request.variant is None):
        raise SpecificationError(
            "a is compared with one other run",
            loc=("b",),
            expected="b or variant",
            got="neither" if request.b is None else "both",
        )
    if request.b is not None:
        with inside("b"):
            return compute(request.b.specification(), settings)
    with inside("variant"):
        if isinstance(request.variant, MergedHeads):
            return compute(merge_kv_heads(spec, request.variant.num_kv_heads), settings)
        return compute(VARIANTS[request.variant or ""](spec), settings)


def compared_answer(
    found: Comparison, a: Result, b: Result, encoding: Encoding, include: str | None
) -> dict[str, Any]:
    """The JSON form of a comparison, with the tensors of both runs that are asked for."""
    answer = comparison_answer(found, encoding)
    if include is None:
        return answer
    answer["runs"] = {"a": description(a), "b": description(b)}
    for key, run in (("a", a), ("b", b)):
        names = chosen_tensors(split_names(include), run.dropped_weights is not None, INCLUDE)
        answer[key] = {name: encode(getattr(run, name), encoding) for name in names}
    return answer


def shown_answer(
    found: Comparison, a: Result, b: Result, encoding: Encoding, include: str | None
) -> dict[str, Any]:
    """As `compared_answer`; with ``include`` the cells of the named stages alone."""
    if include is not None:
        names = split_names(include)
        kept = {name: stage for name, stage in found.stages.items() if name in names}
        found = Comparison(kept, found.incomparable)
    return compared_answer(found, a, b, encoding, include)


def comparison_answer(found: Comparison, encoding: Encoding) -> dict[str, Any]:
    """The JSON form of a comparison."""
    return {
        "stages": {name: _stage(stage, encoding) for name, stage in found.stages.items()},
        "incomparable": found.incomparable,
    }


def _stage(stage: Difference, encoding: Encoding) -> dict[str, Any]:
    return {**stage_summary(stage), "difference": encode(stage.difference, encoding)}


def summaries(found: Comparison) -> dict[str, Any]:
    """How far the stages are apart, without the cells."""
    return {name: stage_summary(stage) for name, stage in found.stages.items()}


def stage_summary(stage: Difference) -> dict[str, Any]:
    """The largest and mean difference of a stage, where it is, and the first."""
    return {
        "max_abs": number(stage.max_abs),
        "mean_abs": number(stage.mean_abs),
        "at": stage.at,
        "first": stage.first,
    }
