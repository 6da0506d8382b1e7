"""``POST /api/describe``: what a run would be, without its N × N numbers."""

from __future__ import annotations

from typing import Any

import orjson
from fastapi import APIRouter, Response

from app.answer import frame, warning
from app.compute import prepared, with_key
from app.errors import inside
from app.kept import Kept
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, KeptDep, PoolDep, SettingsDep
from app.schemas.requests import DescribeBody
from app.settings import Settings
from attention import outline

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {
    "spec": {
        "x": {"random": {"shape": [65536, 16], "kind": "waves"}},
        "num_heads": 2,
        "masks": [{"kind": "causal"}],
    }
}


@router.post(
    "/describe",
    **computing(
        DescribeBody,
        "Heads, steps with their shapes, labels and masks of a run, at any length",
        body_examples("long", "Two heads over 65,536 tokens", EXAMPLE),
    ),
)
async def describe_run(
    body: BodyDep, pool: PoolDep, kept: KeptDep, settings: SettingsDep
) -> Response:
    """As `/api/attention` answers, without tensors: the steps have no `min` and `max`.

    `tokens` holds one list where all sequences share their labels. `warnings` are those of the
    input alone.
    """
    answer = await pool.run(_answer, body, kept, settings)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, kept: Kept, settings: Settings) -> bytes:
    request, key = with_key(DescribeBody, body, settings)
    with inside("spec"):
        task = prepared(request.spec, key, kept, settings)
    answer: dict[str, Any] = {
        **frame(task, outline(task)),
        "tokens": {"queries": _once(task.query_labels), "keys": _once(task.key_labels)},
        "warnings": [warning(notice) for notice in task.reader.notices],
    }
    origin = getattr(task.spec.projection, "origin", None)
    if origin is not None:
        answer["checkpoint"] = origin
    return orjson.dumps(answer, option=orjson.OPT_SERIALIZE_NUMPY)


def _once(lists: list[list[str]]) -> list[list[str]]:
    """All lists, or the one that they all are."""
    return lists[:1] if all(row == lists[0] for row in lists) else lists
