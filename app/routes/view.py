"""``POST /api/view``: one window of one stage of one head, at any length."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import orjson
import torch
from fastapi import APIRouter, Request, Response
from starlette.responses import StreamingResponse

from app.compute import allow_work, prepared, use_all_threads, with_key
from app.encode import Form, encode
from app.errors import inside
from app.examples import EXAMPLES
from app.kept import Kept
from app.openapi import MEDIA_TYPES, RAW_OR_JSON, body_examples, computing
from app.pool import Pool
from app.problems import ProblemError, problem_body
from app.raw import asked_form, raw
from app.routes.dependencies import BodyDep, EncodingQuery, KeptDep, PoolDep, SettingsDep
from app.schemas.requests import ViewBody
from app.settings import Settings
from app.waiting import Alive, answered
from attention import (
    Task,
    ViewStrip,
    Window,
    finite_range,
    stage_size,
    view,
    view_strips,
    window_cells,
    window_work,
)

EVENTS = "text/event-stream"
router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {
    "spec": EXAMPLES[4]["spec"] | {"x": EXAMPLES[5]["spec"]["x"], "tokens": None},
    "stage": "weights", "head": 3, "rows": [2, 6], "max_rows": 2,
}  # fmt: skip


@router.post(
    "/view",
    **computing(
        ViewBody,
        "One window of one stage of one head, pooled to a picture's size",
        body_examples("window", "The last four queries of head 3, two rows a cell", EXAMPLE),
        {
            "description": "the picture; or, for `Accept: text/event-stream`, its strips as they"
            " are ready: the events start, strip, progress and done of the README; or, for"
            " `Accept: application/octet-stream`, a safetensors file of z, and of masked where"
            " anything is, the rest of the answer as JSON in its metadata",
            "content": RAW_OR_JSON | {EVENTS: {"schema": {"type": "string"}}},
        },
    ),
)
async def view_window(
    request: Request,
    body: BodyDep,
    pool: PoolDep,
    kept: KeptDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
) -> Response:
    """Exact at any length: the full softmax over every visible key, never a sample.

    With `Accept: text/event-stream` strips come as they are ready (see the README). Work for a
    client that has left stops between strips.
    """
    if EVENTS in request.headers.get("accept", ""):
        task, window = await pool.run(_asked, body, kept, settings)
        return StreamingResponse(_events(pool.whole, task, window), media_type=EVENTS)
    form = asked_form(request, encoding)
    return await answered(pool, MEDIA_TYPES[form], _answer, body, kept, settings, form)


def _asked(body: bytes, kept: Kept, settings: Settings) -> tuple[Task, Window]:
    """What is asked for, checked and within the limits."""
    request, key = with_key(ViewBody, body, settings)
    with inside("spec"):
        task = prepared(request.spec, key, kept, settings)
    rows, cols = (
        None if span is None else (span[0], span[1]) for span in (request.rows, request.cols)
    )
    window = Window(
        request.stage,
        request.batch,
        request.head,
        rows,
        cols,
        request.max_rows,
        request.max_cols,
        request.reduce,
    )
    with inside("spec", beside=("stage", "batch", "head", "rows", "cols", "reduce")):
        cells, products = window_work(task, window)
        allow_work(task.spec, settings, cells, products)
    return task, window


def _answer(alive: Alive, body: bytes, kept: Kept, settings: Settings, form: Form) -> bytes:
    alive()
    task, window = _asked(body, kept, settings)
    with torch.inference_mode():
        found = view(task, window, alive)
    low, high = finite_range(found.z)
    rest = _frame(task, window) | {"min": low, "max": high}
    if form == "raw":
        masked = {"masked": found.masked} if found.masked.any() else {}
        return raw({"z": found.z, **masked}, rest)
    return orjson.dumps(rest | {"z": encode(found.z, form), "masked": encode(found.masked, form)})


def _frame(task: Task, window: Window) -> dict[str, Any]:
    """Everything about a window but its numbers."""
    rows, cols = window_cells(task, window)
    rows_total, cols_total = stage_size(task, window.stage)
    return {
        "row_edges": rows.edges,
        "col_edges": cols.edges,
        "reduced": {"rows": rows.width, "cols": cols.width, "how": window.reduce},
        "rows_total": rows_total,
        "cols_total": cols_total,
    }


async def _events(pool: Pool, task: Task, window: Window) -> AsyncIterator[bytes]:
    """The strips; the deadline ends them with the event `problem`."""
    try:
        async for event in _strips(pool, task, window):
            yield event
    except ProblemError as error:
        yield _event("problem", problem_body(error))


async def _strips(pool: Pool, task: Task, window: Window) -> AsyncIterator[bytes]:
    """`start`, then `strip` and `progress` by turns, and `done`; a turn in the pool for each."""
    strips = view_strips(task, window)
    ends: list[float] = []
    yield _event("start", _frame(task, window))
    while (events := await pool.run(_next, strips, ends)) is not None:
        yield events
    yield _event("done", {"min": min(ends, default=None), "max": max(ends, default=None)})


def _next(strips: Iterator[ViewStrip], ends: list[float]) -> bytes | None:
    """The events of the next strip, its range added to ``ends``; each may have another thread."""
    use_all_threads()
    with torch.inference_mode():
        strip = next(strips, None)
        if strip is None:
            return None
        progress = _event("progress", {"done": strip.done, "of": strip.of})
        if strip.rows.start == strip.rows.stop:
            return progress
        ends += [end for end in finite_range(strip.z) if end is not None]
        numbers = {"z": encode(strip.z, "base64"), "masked": encode(strip.masked, "base64")}
        return _event("strip", {"rows": [strip.rows.start, strip.rows.stop], **numbers}) + progress


def _event(name: str, data: dict[str, Any]) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + orjson.dumps(data) + b"\n\n"
