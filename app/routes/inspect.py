"""``POST /api/inspect``: one cell as arithmetic."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import orjson
import torch
from fastapi import APIRouter, Response
from torch import Tensor

from app.compute import allow_work, prepared, with_key
from app.encode import Encoding, encode, number
from app.errors import inside
from app.examples import EXAMPLES
from app.kept import Kept
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, KeptDep, PoolDep, SettingsDep
from app.schemas.requests import InspectBody
from app.settings import Settings
from attention import inspect

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {"spec": EXAMPLES[0]["spec"], "query": 2, "key": 0}


@router.post(
    "/inspect",
    **computing(
        InspectBody,
        "One cell as arithmetic: products, scale, biases, masks, softmax, its row and its output",
        body_examples("by_hand", "Row 3, key 1 of the hand-worked case", EXAMPLE),
    ),
)
async def inspect_cell(
    body: BodyDep,
    pool: PoolDep,
    kept: KeptDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
) -> Response:
    """The forward pass on the cell's row alone; `masks` say which of them block it.

    With `keys` the row's own numbers are told of these keys alone, and still exact: what a long
    sequence needs.
    """
    answer = await pool.run(_answer, body, kept, settings, encoding)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, kept: Kept, settings: Settings, encoding: Encoding) -> bytes:
    request, key = with_key(InspectBody, body, settings)
    with inside("spec"):
        task = prepared(request.spec, key, kept, settings)
    keys = None if request.keys is None else (request.keys[0], request.keys[1])
    place = {name: getattr(request, name) for name in ("batch", "head", "query", "key")}
    with inside("spec", beside=(*place, "keys")):
        first, last = keys or (0, task.dims.S)
        cells = max(0, last - first) * task.dims.Dv
        allow_work(task.spec, settings, cells, task.dims.S * task.dims.D)
        with torch.inference_mode():
            found = inspect(task, **place, keys=keys)
    labels = {
        "query": task.query_labels[request.batch][request.query],
        "key": task.key_labels[request.batch][request.key],
    }
    values = {field.name: getattr(found, field.name) for field in fields(found)}
    values["masks"] = [asdict(mask) for mask in found.masks]
    answer = {name: _plain(value, encoding) for name, value in values.items()}
    return orjson.dumps({"at": place, "labels": labels, **answer})


def _plain(value: Any, encoding: Encoding) -> Any:
    if isinstance(value, Tensor):
        return encode(value, encoding)
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list):
        return [_plain(item, encoding) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item, encoding) for name, item in value.items()}
    return value
