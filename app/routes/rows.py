"""``POST /api/rows``: what describes each row of weights, of all heads, at any length."""

from __future__ import annotations

import orjson
import torch
from fastapi import APIRouter, Response

from app.compute import allow_work, prepared, with_key
from app.encode import Encoding, encode
from app.errors import inside
from app.kept import Kept
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, EncodingQuery, KeptDep, PoolDep, SettingsDep
from app.schemas.requests import RowsBody
from app.settings import Settings
from app.waiting import Alive, answered
from attention import row_statistics, rows_asked

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {
    "spec": {
        "x": {"random": {"shape": [4096, 16], "kind": "waves"}},
        "num_heads": 2,
        "masks": [{"kind": "causal"}],
    },
    "max_rows": 64,
}


@router.post(
    "/rows",
    **computing(
        RowsBody,
        "Entropy, distance, weight on key 0 and largest weight of each row, for all heads",
        body_examples("long", "Two heads over 4,096 tokens, 64 rows a cell", EXAMPLE),
    ),
)
async def describe_rows(
    body: BodyDep,
    pool: PoolDep,
    kept: KeptDep,
    settings: SettingsDep,
    encoding: EncodingQuery = "list",
) -> Response:
    """One exact pass over all rows; afterwards a window of them computes nothing beside itself."""
    return await answered(pool, "application/json", _answer, body, kept, settings, encoding)


def _answer(alive: Alive, body: bytes, kept: Kept, settings: Settings, encoding: Encoding) -> bytes:
    alive()
    request, key = with_key(RowsBody, body, settings)
    with inside("spec"):
        task = prepared(request.spec, key, kept, settings)
    span = None if request.rows is None else (request.rows[0], request.rows[1])
    heads = range(task.dims.H) if request.heads is None else request.heads
    with inside("spec", beside=("batch", "heads", "rows")):
        cells = rows_asked(task, request.batch, heads, span, request.max_rows)
        products = len(heads) * (cells.stop - cells.start) * task.dims.S * task.dims.D
        allow_work(task.spec, settings, len(heads) * cells.count, products)
        with torch.inference_mode():
            found = row_statistics(task, request.batch, heads, span, request.max_rows, alive)
    return orjson.dumps(
        {
            "heads": found.heads,
            "row_edges": found.rows.edges,
            "rows_total": task.dims.T,
            "statistics": {name: encode(value, encoding) for name, value in found.of.items()},
            "means": {name: encode(value, encoding) for name, value in found.means.items()},
            "counted": encode(found.counted, encoding),
        }
    )
