"""``/api/uploads``: bring a file once, refer to it by its id afterwards."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import BaseModel

from app.demand import bytes_of_file
from app.errors import concerning
from app.openapi import problems
from app.places import hold
from app.routes.dependencies import PoolDep, SettingsDep
from app.settings import Settings
from app.uploads import Store
from app.uploads.form import FormReader, refused
from app.uploads.incoming import Parts, is_index
from app.uploads.store import storing
from app.uploads.upload import Upload
from attention import FILE_KINDS, kind_of

router = APIRouter(prefix="/api", tags=["uploads"])
BINARY = {"type": "string", "format": "binary"}
FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": BINARY | {"description": ", ".join(FILE_KINDS)},
        "config": BINARY
        | {"description": "the config.json of the model whose weights `file` holds"},
        "delimiter": {"type": "string", "enum": ["auto", "comma", "tab", "semicolon", "space"]},
        "decimal": {"type": "string", "enum": ["auto", ".", ","]},
        "header": {"type": "string", "enum": ["auto", "true", "false"]},
        "labels": {"type": "string", "enum": ["auto", "true", "false"]},
    },
}


class ListedTensor(BaseModel):
    """One tensor of an upload."""

    name: str
    dtype: str
    shape: list[int]


class ListedModule(BaseModel):
    """One attention module of a checkpoint, as far as its shapes and its config tell."""

    module: str
    family: str | None
    layout: str | None
    layouts: list[str]
    layer: int | None
    width: int | None = None
    num_heads: int | None
    num_kv_heads: int | None
    head_dim: int | None
    position_bias: str | None


class ListedCall(BaseModel):
    """One attention call of a captured run; `spec` computes it again in any route."""

    index: int
    module: str
    function: str
    num_heads: int
    num_kv_heads: int
    batch: int
    queries: int
    keys: int
    hidden_states: str | None
    spec: dict[str, Any]


class UploadAnswer(BaseModel):
    """An upload: refer to it as `{"upload": id, "name": …}` wherever numbers stand."""

    id: str
    name: str
    size: int
    tensors: list[ListedTensor]
    modules: list[ListedModule]
    calls: list[ListedCall] = []
    detected: dict[str, Any]


@router.post(
    "/uploads",
    status_code=201,
    summary="Upload a file of tensors, or a model's weights with its config.json",
    openapi_extra={
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": FORM}}}
    },
    responses=problems(400, 413, 415, 422, 429, 503),
)
async def upload(request: Request, pool: PoolDep, settings: SettingsDep) -> UploadAnswer:
    """Streamed to disk and checked; the id is the SHA-256 of the file.

    A text table is read as detected, unless the fields beside it say how. The last upload of the
    same file decides how it is read and which config.json goes with it.
    """
    store = Store(settings)
    with Parts() as parts:
        with storing():
            await FormReader(request, settings, await pool.whole.run(store.folder), parts).read()
        refuse_counts(parts)
        kept = await pool.run(_keep, store, parts)
    return UploadAnswer(**kept.answer)


@router.get("/uploads/{identity}", summary="What an upload holds", responses=problems(404))
async def described(identity: str, pool: PoolDep, settings: SettingsDep) -> UploadAnswer:
    """The answer that the upload was given."""
    return UploadAnswer(**await pool.run(_answer, identity, settings))


def _keep(store: Store, parts: Parts) -> Upload:
    most, whole = store.settings.max_unpacked_bytes, (*parts.files, *parts.configs)
    files = sum(bytes_of_file(part.path, kind_of(part.name), most) for part in whole)
    shards = parts.files if any(is_index(part.name) for part in parts.files) else []
    hold("files", files + 2 * sum(part.size for part in shards))  # put together in memory
    return store.keep(parts)


def _answer(identity: str, settings: Settings) -> dict[str, Any]:
    with concerning("id"):
        return Store(settings).load(identity).answer


def refuse_counts(parts: Parts) -> None:
    """One file (or an index with its shards), and at most one config.json beside it."""
    if not parts.files and not parts.configs:
        raise refused("file", "file is required", "a file with its name")
    for field, found in (("file", parts.files), ("config", parts.configs)):
        if len(found) > 1 and not any(is_index(part.name) for part in found):
            names = ", ".join(part.name for part in found)
            raise refused(field, f"{field} stands once, got {names}", "one file")
