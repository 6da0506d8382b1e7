"""``POST /api/export``: a run as a file."""

from __future__ import annotations

from fastapi import APIRouter, Response

from app.answer import chosen_tensors
from app.body import read_json
from app.compute import compute, validated
from app.demand import bytes_exported
from app.errors import inside
from app.examples import EXAMPLES
from app.export import FORMATS, Export
from app.openapi import body_examples, computing
from app.routes.dependencies import BodyDep, PoolDep, SettingsDep
from app.schemas.requests import ExportBody
from app.settings import Settings

router = APIRouter(prefix="/api", tags=["attention"])
EXAMPLE = {"spec": EXAMPLES[0]["spec"], "format": "csv", "tensors": ["scores", "weights"]}


@router.post(
    "/export",
    **computing(
        ExportBody,
        "A run as a file: npz, safetensors, csv, json or html",
        body_examples("csv", "Scores and weights of the hand-worked case", EXAMPLE),
        {
            "description": "the file",
            "content": {media: {} for media, _ in FORMATS.values()},
        },
    ),
)
async def export_run(body: BodyDep, pool: PoolDep, settings: SettingsDep) -> Response:
    """Arrays bear the names of the answer's `tensors`, at float32 or wider.

    CSV has a row a cell under `tensor,batch,head,query,key,value`, and a last column `dim` where
    one of the tensors has that axis; the columns of axes that a tensor lacks are empty.
    """
    return await pool.run(_answer, body, settings)


def _answer(body: bytes, settings: Settings) -> Response:
    request = validated(ExportBody, body, settings)
    names = chosen_tensors(request.tensors, request.spec.dropout is not None, ("tensors",))
    with inside("spec"):
        spec = request.spec.specification()
        result = compute(spec, settings, bytes_exported(names, request.format))
    media, write = FORMATS[request.format]
    name = f"attention.{request.format}"
    return Response(
        write(Export(result, names, read_json(body)["spec"])),
        media_type=media,
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )
