"""``POST /api/view``: one window of one stage of one head, at any length."""

from __future__ import annotations

import orjson
import torch
from fastapi import APIRouter, Response

from app.compute import allow_work, prepared, with_key
from app.encode import Encoding, encode
from app.errors import inside
from app.examples import EXAMPLES
from app.kept import Kept
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, KeptDep, PoolDep, SettingsDep
from app.schemas.requests import ViewBody
from app.settings import Settings
from attention import Window, finite_range, view, window_work

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
    ),
)
async def view_window(
    body: BodyDep,
    pool: PoolDep,
    kept: KeptDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
) -> Response:
    """Exact at any length: the full softmax over every visible key, never a sample."""
    answer = await pool.run(_answer, body, kept, settings, encoding)
    return Response(answer, media_type="application/json")


def _answer(body: bytes, kept: Kept, settings: Settings, encoding: Encoding) -> bytes:
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
        with torch.inference_mode():
            found = view(task, window)
    low, high = finite_range(found.z)
    return orjson.dumps(
        {
            "z": encode(found.z, encoding),
            "row_edges": found.rows.edges,
            "col_edges": found.cols.edges,
            "reduced": {"rows": found.rows.width, "cols": found.cols.width, "how": request.reduce},
            "rows_total": found.rows_total,
            "cols_total": found.cols_total,
            "min": low,
            "max": high,
            "masked": encode(found.masked, encoding),
        }
    )
