"""``POST /api/stability``: narrower dtypes, a softmax without its maximum, finite fills."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson
import torch
from fastapi import APIRouter, Response

from app.compute import allow_work, measured, validated
from app.encode import Encoding, number
from app.errors import inside
from app.examples import STABILITY
from app.fields import fields_json
from app.limits import check_search
from app.openapi import body_examples, computing
from app.routes.compare import shown_answer, summaries
from app.routes.dependencies import BodyDep, EncodingQuery, IncludeQuery, PoolDep, SettingsDep
from app.schemas.requests import StabilityBody
from app.settings import Settings
from app.shown import unknown
from app.waiting import alive
from attention import Event, Trial, trials

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {"spec": STABILITY["spec"], "dtype": "float32"}


@router.post(
    "/stability",
    **computing(
        StabilityBody,
        "Try a run in narrower dtypes, with a softmax without its maximum, and with finite fills",
        body_examples("stability", "Rows that overflow one dtype after another", EXAMPLE),
    ),
)
async def try_stability(
    body: BodyDep,
    pool: PoolDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
    include: IncludeQuery = None,
) -> Response:
    """Each trial's distance from the run in float64, and what left the numbers on the way.

    `kind` is `precision` (the same in `dtype`), `softmax` (no maximum subtracted), `set` and
    `added` (a `fill` instead of −Infinity; none where nothing is masked). `events` say stage by
    stage what became infinite (`overflow`), NaN (`not_a_number`) or 0 (`vanished`), with what
    float64 has there. `finite_weights` are the differences where both are finite.
    `hidden_weight` is the largest on a masked key, `empty_rows` what rows that see no key got.
    `fields` say the trial in a specification; null where none does. With `show`, a trial's name,
    `shown` compares it with float64 as `POST /api/compare` would, in the stages that `include`
    names where it is given.
    """
    answer = await pool.run(_answer, body, settings, encoding, include)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, settings: Settings, encoding: Encoding, include: str | None) -> bytes:
    request = validated(StabilityBody, body, settings)
    with inside("spec"), torch.inference_mode():
        spec = request.spec.specification()
        dims = measured(spec, settings)
        check_search(spec, dims, settings)
        cells = dims.B * dims.H * dims.T * dims.S
        allow_work(spec, settings, cells, cells * dims.D)
        tried = trials(spec, request.dtype)
        found, shown = [], None
        for trial in tried.found:
            alive()
            found.append(_trial(trial))
            if trial.name == request.show:
                pair = (trial.comparison, trial.result, tried.reference)
                shown = shown_answer(*pair, encoding, include)
    if request.show is not None and shown is None:
        raise unknown("trial", request.show, [trial["name"] for trial in found])
    return orjson.dumps({"dtype": request.dtype, "trials": found, "shown": shown})


def _trial(trial: Trial) -> dict[str, Any]:
    hidden = trial.hidden
    return {
        "name": trial.name,
        "kind": trial.kind,
        "dtype": trial.dtype,
        "fill": None if trial.fill is None else number(trial.fill),
        "stages": summaries(trial.comparison),
        "finite_weights": None if trial.finite is None else asdict(trial.finite),
        "events": [_event(event) for event in trial.events],
        "hidden_weight": None if hidden is None else {"largest": hidden.largest, "at": hidden.at},
        "empty_rows": trial.empty_rows,
        "fields": None if trial.fields is None else fields_json(trial.fields),
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "stage": event.stage,
        "kind": event.kind,
        "count": event.count,
        "first": event.first,
        "exact": number(event.exact),
    }
