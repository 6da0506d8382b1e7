"""``POST /api/code``: a run as a script that reproduces it."""

from __future__ import annotations

import orjson
from fastapi import APIRouter, Response

from app.compute import compute, validated
from app.errors import inside
from app.examples import EXAMPLES
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, PoolDep, SettingsDep
from app.schemas.requests import CodeBody
from app.settings import Settings
from attention import script, script_refusals

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {"spec": EXAMPLES[1]["spec"], "style": "sdpa"}


@router.post(
    "/code",
    **computing(
        CodeBody,
        "A run as a script: PyTorch written out or by its own functions, or NumPy",
        body_examples("causal", "4 tokens, 2 heads, by one call of PyTorch", EXAMPLE),
    ),
)
async def write_code(body: BodyDep, pool: PoolDep, settings: SettingsDep) -> Response:
    """The script leaves `scores`, `weights` and `output`; a style that cannot says why.

    `refusals` holds every style's reasons, empty where it can say the run.
    """
    answer = await pool.run(_answer, body, settings)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings) -> bytes:
    request = validated(CodeBody, body, settings)
    with inside("spec"):
        result = compute(request.spec.specification(), settings)
    return orjson.dumps(
        {
            "style": request.style,
            "script": script(result, request.style),
            "refusals": script_refusals(result),
        }
    )
