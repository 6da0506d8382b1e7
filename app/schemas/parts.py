"""The parts of a specification: projections, norms, rotary tables, biases, masks, dropout."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    ValidationInfo,
    WithJsonSchema,
)

from app.schemas.tensors import TensorField, WholeNumbers, uploads_of
from attention import SpecificationError

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]


class Strict(BaseModel):
    """Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class RandomProjection(Strict):
    """Seeded weights, N(0, 1/in); the same on every machine."""

    kind: Literal["random"]
    seed: Annotated[StrictInt, Field(ge=0, lt=2**32)] = 0
    bias: StrictBool = True


class IdentityProjection(Strict):
    """q, k and v are the token vectors themselves; no output projection."""

    kind: Literal["identity"]


class GivenProjection(Strict):
    """Weights [out][in] as torch.nn.Linear has them; w_o and biases are optional."""

    kind: Literal["given"]
    w_q: TensorField
    w_k: TensorField
    w_v: TensorField
    w_o: TensorField | None = None
    b_q: TensorField | None = None
    b_k: TensorField | None = None
    b_v: TensorField | None = None
    b_o: TensorField | None = None


def read_checkpoint(value: Any, info: ValidationInfo) -> Any:
    """The upload's tensors and config, by its id."""
    return uploads_of(info).load(value).checkpoint()


def read_config(value: Any, info: ValidationInfo) -> Any:
    """The config.json that was uploaded under this id, alone or with weights."""
    if value is None:
        return None
    found = uploads_of(info).load(value).config
    if found is None:
        raise SpecificationError(
            "config is the id of an uploaded config.json",
            expected="an upload that is one, or came with one",
            got="an upload without a config.json",
        )
    return found


UploadId = WithJsonSchema({"type": "string", "description": "the id of an upload"})


class CheckpointProjection(Strict):
    """Weights of a module of an uploaded checkpoint; its config.json fills what is not said."""

    kind: Literal["checkpoint"]
    upload: Annotated[Any, PlainValidator(read_checkpoint), UploadId]
    module: StrictStr
    layout: Literal[
        "auto", "separate", "blocks", "per_head", "per_kv_group", "multi_query", "codegen"
    ] = "auto"
    config: Annotated[Any, PlainValidator(read_config), UploadId] = Field(
        None, description="id of a config.json to use instead of the one that came with the upload"
    )


Projection = Annotated[
    RandomProjection | IdentityProjection | GivenProjection | CheckpointProjection,
    Field(discriminator="kind"),
]


class QkNorm(Strict):
    """RMS norm of q and k: a weight of head_dim numbers per head, of H·D the full width."""

    eps: Annotated[Number, Field(ge=0)] = 1e-6
    q_weight: TensorField | None = None
    k_weight: TensorField | None = None


class Rope(Strict):
    """Rotary embedding by base and positions, or by ready tables cos and sin."""

    style: Literal["half", "interleaved"]
    base: Annotated[Number, Field(gt=0)] | None = None
    dim: StrictInt | None = None
    positions: TensorField | None = None
    key_positions: TensorField | None = None
    cos: TensorField | None = None
    sin: TensorField | None = None


class Dropout(Strict):
    """The training view: weights are dropped with probability p."""

    p: Annotated[Number, Field(ge=0, lt=1)]
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63)] = 0


class MatrixBias(Strict):
    """Added to the scores, broadcast to [B][H][T][S]."""

    kind: Literal["matrix"]
    values: TensorField


class AlibiBias(Strict):
    """−slope·|query + cache length − key|; slopes [H], the published ones when null."""

    kind: Literal["alibi"]
    slopes: TensorField | None = None


Bias = Annotated[MatrixBias | AlibiBias, Field(discriminator="kind")]
Alignment = Literal["top_left", "bottom_right"]


class CausalMask(Strict):
    """Visible: key <= query + offset; default offset the cache's length, else 0."""

    kind: Literal["causal"]
    alignment: Alignment | None = None
    offset: WholeNumbers | None = None


class PaddingMask(Strict):
    """Visible: real tokens, by lengths [B] or keep [B][S] (1 = real)."""

    kind: Literal["padding"]
    lengths: TensorField | None = None
    keep: TensorField | None = None


class WindowMask(Strict):
    """Visible: query+offset−left <= key <= query+offset+right; null is open."""

    kind: Literal["window"]
    left: Annotated[StrictInt, Field(ge=0, le=2**31)] | None = None
    right: Annotated[StrictInt, Field(ge=0, le=2**31)] | None = None
    alignment: Alignment | None = None
    offset: WholeNumbers | None = None


class PrefixMask(Strict):
    """Visible: key < length, or key <= query + offset."""

    kind: Literal["prefix"]
    length: WholeNumbers
    alignment: Alignment | None = None
    offset: WholeNumbers | None = None


class DocumentsMask(Strict):
    """Visible: same document; ids [S] or [B][S], and T = S."""

    kind: Literal["documents"]
    ids: TensorField


class MatrixMask(Strict):
    """Cell by cell, broadcast to [B][H][T][S]; the convention is always stated."""

    kind: Literal["matrix"]
    values: TensorField
    convention: Literal["allowed", "blocked", "additive"]


Mask = Annotated[
    CausalMask | PaddingMask | WindowMask | PrefixMask | DocumentsMask | MatrixMask,
    Field(discriminator="kind"),
]
