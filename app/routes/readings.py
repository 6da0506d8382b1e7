"""``POST /api/readings``: one mask under each framework's reading."""

from __future__ import annotations

from typing import Any

import orjson
import torch
from fastapi import APIRouter, Response

from app.compute import compute, measured, validated
from app.encode import Encoding
from app.errors import inside
from app.examples import READINGS
from app.fields import fields_json
from app.limits import check_search
from app.openapi import body_examples, computing
from app.routes.compare import shown_answer, summaries
from app.routes.dependencies import BodyDep, EncodingQuery, IncludeQuery, PoolDep, SettingsDep
from app.schemas.requests import ReadingsBody
from app.settings import Settings
from app.shown import unknown
from app.waiting import alive
from attention import Reading, readings, window_asked

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {"spec": READINGS["spec"], "subject": "causal"}


@router.post(
    "/readings",
    **computing(
        ReadingsBody,
        "Read one mask in every way that frameworks read it, each a run of its own",
        body_examples("corners", "Three queries, seven keys, both corners", EXAMPLE),
    ),
)
async def read_masks(
    body: BodyDep,
    pool: PoolDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
    include: IncludeQuery = None,
) -> Response:
    """Each reading's distance from the run as it is set, and PyTorch's line for it.

    `array`: as `allowed`, `blocked`, `additive`. `causal`: `top_left`, `bottom_right`. `window`:
    `counts_itself`, `beside_itself`, `both_sides` of the answer's `window`. `line` runs after
    `setup`, over q, k and v, and is the whole run where `whole` says so; `mask` is its mask alone.
    `shown_cells` and `hidden_cells` count what the run as set hides or shows. `fields` set the
    reading in a specification; null where that takes too many numbers. With `show`, a reading's
    name, `shown` compares it with the run as set as `POST /api/compare` would, in the stages that
    `include` names where it is given.
    """
    answer = await pool.run(_answer, body, settings, encoding, include)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding, include: str | None) -> bytes:
    request = validated(ReadingsBody, body, settings)
    with inside("spec"):
        spec = request.spec.specification()
        check_search(spec, measured(spec, settings), settings)
        base = compute(spec, settings)
    found, shown = [], None
    W = window_asked(base, request.window) if request.subject == "window" else None
    with inside("spec", beside=("mask", "window")), torch.inference_mode():
        for reading in readings(base, request.subject, mask=request.mask, window=request.window):
            alive()
            found.append(_reading(reading))
            if reading.name == request.show:
                pair = (reading.comparison, reading.result, base)
                shown = shown_answer(*pair, encoding, include)
    if request.show is not None and shown is None:
        raise unknown("reading", request.show, [reading["name"] for reading in found])
    answer = {"subject": request.subject, "window": W, "readings": found, "shown": shown}
    return orjson.dumps(answer)


def _reading(reading: Reading) -> dict[str, Any]:
    return {
        "name": reading.name,
        "line": reading.line,
        "mask": reading.mask,
        "setup": reading.setup,
        "used_by": reading.used_by,
        "whole": reading.whole,
        "same": reading.same,
        "shown_cells": reading.shown,
        "hidden_cells": reading.hidden,
        "empty_rows": reading.empty_rows,
        "stages": summaries(reading.comparison),
        "fields": fields_json(reading.fields),
    }
