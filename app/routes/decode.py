"""``POST /api/decode``: token by token over a growing cache."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import APIRouter, Response

from app.compute import many_small_runs, measured, validated
from app.encode import Encoding, encode, number
from app.errors import inside
from app.examples import EXAMPLES
from app.limits import check_work
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, PoolDep, SettingsDep
from app.schemas.requests import DecodeBody
from app.settings import Settings
from app.waiting import alive
from attention import DecodeStep, decode

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {"spec": EXAMPLES[1]["spec"], "prefill": 2}


@router.post(
    "/decode",
    **computing(
        DecodeBody,
        "Decode token by token over a KV cache, and compare each step with the full causal pass",
        body_examples("after_two", "Two tokens prefilled, two decoded", EXAMPLE),
    ),
)
async def decode_tokens(
    body: BodyDep, pool: PoolDep, settings: SettingsDep, encoding: EncodingQuery = "list"
) -> Response:
    """Each step's tokens are projected by themselves; their keys and values join the cache.

    With `chunk` a step takes in several tokens; `position` is the first. `prefilled` is the
    same for the tokens taken in at once, null where there are none. `top_left` is what a causal
    mask aligned at the first cached key would wrongly show.
    """
    answer = await pool.run(_answer, body, settings, encoding)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding) -> bytes:
    request = validated(DecodeBody, body, settings)
    with inside("spec", beside=("prefill", "chunk")), many_small_runs():
        spec = request.spec.specification()
        dims = measured(spec, settings)
        cells = dims.B * dims.H * dims.T * dims.S
        check_work(spec, settings, cells, cells * dims.D)
        steps = []
        for step in decode(spec, request.prefill, request.chunk):
            alive()
            steps.append(_step(step, encoding))
    prefilled = steps.pop(0) if request.prefill else None
    return orjson.dumps({"prefill": request.prefill, "prefilled": prefilled, "steps": steps})


def _step(step: DecodeStep, encoding: Encoding) -> dict[str, Any]:
    names = ("q", "scores", "masked_scores", "allowed", "weights", "output")
    wrong = step.top_left
    return {
        "position": step.position,
        "cache": {"shape": step.cache_shape, "bytes": step.bytes, "siblings": step.siblings},
        **{name: encode(getattr(step, name), encoding) for name in names},
        "max_abs_difference_from_full": number(step.max_abs_difference_from_full),
        "top_left": {
            "weights": encode(wrong.weights, encoding),
            "output": encode(wrong.output, encoding),
            "max_abs_difference_from_full": number(wrong.max_abs_difference_from_full),
        },
    }
