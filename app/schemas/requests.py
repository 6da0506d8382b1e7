"""Bodies of the routes that take more than a specification."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictInt, StrictStr

from app.schemas.parts import Number, Strict
from app.schemas.specification import Count, SpecificationBody
from app.schemas.tensors import TensorField

Index = Annotated[StrictInt, Field(ge=0, le=2**31)]
Size = Annotated[StrictInt, Field(ge=1, le=2**31)]
Span = Annotated[list[StrictInt], Field(min_length=2, max_length=2)]
Dtype = Literal["float32", "float64", "float16", "bfloat16"]
Pixels = Annotated[StrictInt, Field(ge=1, le=4096)]


class MergedHeads(Strict):
    """Fewer KV heads, each the mean over its group."""

    num_kv_heads: Count


class RunTextBody(Strict):
    """Text through a language model that the server allows."""

    model: str = Field(description="a name of GET /api/models")
    text: list[StrictStr] = Field(min_length=1, description="the texts, padded to one batch")
    layers: list[StrictInt] | None = Field(
        None, min_length=1, description="which layers to keep, counted from 0; null: all of them"
    )


class CompareBody(Strict):
    """Two specifications, or one and a variant of it; the answer is a − b."""

    a: SpecificationBody
    b: SpecificationBody | None = None
    variant: (
        Literal["mask_off", "mask_after_softmax", "scale_off", "other_alignment"]
        | MergedHeads
        | None
    ) = Field(None, description="what b is instead, made from a")


class InspectBody(Strict):
    """One cell of one head."""

    spec: SpecificationBody
    batch: Index = 0
    head: Index = 0
    query: Index
    key: Index
    keys: Span | None = Field(
        None, description="half-open range [a, b) of the row's keys to tell of; default all"
    )


class DescribeBody(Strict):
    """A specification that is made ready, and not run."""

    spec: SpecificationBody


class ViewBody(Strict):
    """One window of one stage of one head, pooled to at most max_rows × max_cols cells."""

    spec: SpecificationBody
    stage: str
    batch: Index = 0
    head: Index = 0
    rows: Span | None = Field(None, description="half-open range [a, b) of rows; default all")
    cols: Span | None = Field(None, description="half-open range [a, b) of columns; default all")
    max_rows: Pixels = 512
    max_cols: Pixels = 512
    reduce: Literal["max", "mean"] = "max"


class RowsBody(Strict):
    """Numbers that describe each row of weights, of all heads, pooled to at most max_rows cells."""

    spec: SpecificationBody
    batch: Index = 0
    heads: list[Index] | None = Field(
        None, min_length=1, max_length=256, description="default: all query heads, in order"
    )
    rows: Span | None = Field(None, description="half-open range [a, b) of queries; default all")
    max_rows: Pixels = 512


class CheckBody(Strict):
    """Someone's own numbers for a specification."""

    spec: SpecificationBody
    expected: dict[str, TensorField] = Field(
        min_length=1, description="your tensors, by the names of the answer's `tensors`"
    )
    rtol: Annotated[Number, Field(ge=0)] | None = Field(
        None, description="share of the expected number; default by dtype"
    )
    atol: Annotated[Number, Field(ge=0)] | None = Field(
        None, description="absolute part of the tolerance; default by dtype"
    )


class MistakesBody(Strict):
    """A run to make the classic mistakes in."""

    spec: SpecificationBody
    make: str | None = Field(None, description="the mistake to make; default: only name them")


class DecodeBody(Strict):
    """Tokens taken in at once, then one or a chunk at a time over the cache."""

    spec: SpecificationBody
    prefill: StrictInt = Field(0, description="tokens taken in at once, 0 to T")
    chunk: StrictInt = Field(1, description="tokens of each step after it, 1 for decoding")


class ModelCacheBody(Strict):
    """Of what model and text the KV cache is counted; what is left out is as in `spec`."""

    layers: Size = 1
    batch: Size | None = None
    length: Size | None = None
    dtype: Dtype | None = None


class CostsBody(Strict):
    """A specification whose costs are counted, also at other lengths and for whole models."""

    spec: SpecificationBody
    lengths: list[Size] | None = Field(
        None, min_length=1, max_length=256, description="count again at these N = T = S"
    )
    cache: ModelCacheBody | None = None


class CodeBody(Strict):
    """A run as a script."""

    spec: SpecificationBody
    style: Literal["explicit", "sdpa", "multihead_attention", "numpy"]


class ScalingBody(Strict):
    """How far scores of random vectors spread, width by width."""

    widths: list[Annotated[StrictInt, Field(ge=1, le=4096)]] = Field(min_length=1, max_length=32)
    rows: Annotated[StrictInt, Field(ge=1, le=4096)] = 256
    keys: Annotated[StrictInt, Field(ge=1, le=4096)] = 16
    seed: Annotated[StrictInt, Field(ge=0, le=2**32 - 1)] = 0


class SoftmaxBody(Strict):
    """Rows of scores whose softmax is differentiated."""

    rows: list[Annotated[list[Number], Field(min_length=1, max_length=64)]] = Field(
        min_length=1, max_length=256
    )


class TilesBody(Strict):
    """A specification computed in tiles of so many queries and keys."""

    spec: SpecificationBody
    tile: Annotated[StrictInt, Field(ge=1, le=4096)] = 16


class LinearBody(Strict):
    """A specification whose q, k, v and masks linear attention is given."""

    spec: SpecificationBody


class StabilityBody(Strict):
    """A run to be tried in narrower dtypes, without the maximum and with finite fills."""

    spec: SpecificationBody
    dtype: Dtype = Field("float16", description="what the fills are tried in")
    show: str | None = Field(None, description="the trial whose difference is answered too")


class ReadingsBody(Strict):
    """A run whose mask is read in every way that frameworks read it."""

    spec: SpecificationBody
    subject: Literal["array", "causal", "window"] = Field(
        description="cell by cell, by its corner, or by what a window counts"
    )
    mask: Index | None = Field(
        None, description="of `array`: which of `masks`; null: the first matrix, else all of them"
    )
    window: Size | None = Field(
        None, description="of `window`: how many keys; null: as the run's own, else 2"
    )
    show: str | None = Field(None, description="the reading whose difference is answered too")


class ExportBody(Strict):
    """A run as a file."""

    spec: SpecificationBody
    format: Literal["npz", "safetensors", "csv", "json", "html"]
    tensors: list[str] | None = Field(
        None,
        min_length=1,
        description="names as in `tensors`; default: those that an answer has without `include`",
    )


BODIES = (
    RunTextBody,
    CompareBody,
    InspectBody,
    DescribeBody,
    ViewBody,
    RowsBody,
    CheckBody,
    MistakesBody,
    DecodeBody,
    CostsBody,
    CodeBody,
    ScalingBody,
    SoftmaxBody,
    TilesBody,
    LinearBody,
    StabilityBody,
    ReadingsBody,
    ExportBody,
)
"""Every body above that a route takes."""
