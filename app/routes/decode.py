"""``POST /api/decode``: token by token over a growing cache."""

from __future__ import annotations

from typing import Any

import orjson
import torch
from fastapi import APIRouter, Response

from app.compute import allow_work, measured, validated
from app.encode import Encoding, encode, number
from app.errors import inside
from app.examples import EXAMPLES
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, PoolDep, SettingsDep
from app.schemas.requests import DecodeBody
from app.settings import Settings
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
    """Each token is projected alone; its keys and values join the cache."""
    answer = await pool.run(_answer, body, settings, encoding)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding) -> bytes:
    request = validated(DecodeBody, body, settings)
    with inside("spec", beside=("prefill",)), torch.inference_mode():
        spec = request.spec.specification()
        dims = measured(spec, settings)
        cells = dims.B * dims.H * dims.T * dims.S
        allow_work(spec, settings, cells, cells * dims.D)
        steps = [_step(step, encoding) for step in decode(spec, request.prefill)]
    return orjson.dumps({"prefill": request.prefill, "steps": steps})


def _step(step: DecodeStep, encoding: Encoding) -> dict[str, Any]:
    names = ("q", "scores", "masked_scores", "weights", "output")
    return {
        "position": step.position,
        "cache": {"shape": step.cache_shape, "bytes": step.bytes},
        **{name: encode(getattr(step, name), encoding) for name in names},
        "max_abs_difference_from_full": number(step.max_abs_difference_from_full),
    }
