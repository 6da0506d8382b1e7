"""``POST /api/costs``: operations, bytes and the KV cache of a specification."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from fastapi import APIRouter, Response

from app.compute import measured, validated
from app.errors import inside
from app.examples import EXAMPLES
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, PoolDep, SettingsDep
from app.schemas.requests import CostsBody
from app.settings import Settings
from attention import cost_curves, costs, model_cache

router = APIRouter(prefix="/api", tags=["attention"])


@router.post(
    "/costs",
    **computing(
        CostsBody,
        "Count operations, bytes and the KV cache, for this and other numbers of KV heads",
        body_examples("causal", "4 tokens, 2 heads", {"spec": EXAMPLES[1]["spec"]}),
    ),
)
async def count_costs(body: BodyDep, pool: PoolDep, settings: SettingsDep) -> Response:
    """A multiply-add is 2 operations; `kv_cache` is one layer's. Nothing is computed.

    With `lengths` the answer holds `curves`, the same counts at each of them; with `cache`,
    `model_cache`.
    """
    answer = await pool.run(_answer, body, settings)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings) -> bytes:
    """Counts at great lengths pass 64 bits, which the standard library alone writes."""
    request = validated(CostsBody, body, settings)
    with inside("spec"):
        spec = request.spec.specification()
        measured(spec, settings)
        answer: dict[str, Any] = asdict(costs(spec))
        if request.lengths is not None:
            answer["curves"] = asdict(cost_curves(spec, request.lengths))
        if request.cache is not None:
            answer["model_cache"] = asdict(model_cache(spec, **request.cache.model_dump()))
    return json.dumps(answer).encode()
