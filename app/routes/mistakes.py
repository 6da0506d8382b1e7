"""``POST /api/mistakes``: the classic mistakes made on purpose."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import APIRouter, Response

from app.compute import compute, many_small_runs, measured, validated
from app.encode import Encoding, encode
from app.errors import inside
from app.examples import EXAMPLES
from app.limits import check_search
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, PoolDep, SettingsDep
from app.schemas.requests import MistakesBody
from app.settings import Settings
from attention import MadeMistake, make_mistake, make_mistakes

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {"spec": EXAMPLES[0]["spec"], "make": "scale_missing"}


@router.post(
    "/mistakes",
    **computing(
        MistakesBody,
        "What a run answers with a classic mistake in it, to see what a check says of it",
        body_examples("scale_missing", "The hand-worked case without its scale", EXAMPLE),
    ),
)
async def mistakes(
    body: BodyDep, pool: PoolDep, settings: SettingsDep, encoding: EncodingQuery = "list"
) -> Response:
    """`mistakes` lists those that change this run's weights or output.

    With `make`, one of their names: its `explanation`, and the wrong `weights` and `output`
    under `tensors`, as `POST /api/check` takes them under `expected`.
    """
    answer = await pool.run(_answer, body, settings, encoding)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding) -> bytes:
    request = validated(MistakesBody, body, settings)
    with inside("spec"):
        spec = request.spec.specification()
        check_search(spec, measured(spec, settings), settings)
        result = compute(spec, settings)
    with many_small_runs():
        if request.make is None:
            found = [_told(made) for made in make_mistakes(result)]
            return orjson.dumps({"mistakes": found})
        made = make_mistake(result, request.make)
    tensors = {name: encode(getattr(made, name), encoding) for name in ("weights", "output")}
    return orjson.dumps({**_told(made), "tensors": tensors})


def _told(made: MadeMistake) -> dict[str, Any]:
    return {"mistake": made.mistake, "explanation": made.explanation, "details": [made.detail]}
