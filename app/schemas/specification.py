"""The one request body of every computing route."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StrictInt

from app.schemas.parts import Bias, Dropout, Mask, Number, Projection, QkNorm, Rope, Strict
from app.schemas.tensors import TensorField
from attention import Specification

Count = Annotated[StrictInt, Field(ge=1, le=2**31)]


class SpecificationBody(Strict):
    """Everything that decides an attention run. Give `x`, or `q`, `k` and `v`."""

    x: TensorField | None = Field(None, description="token vectors [T][E] or [B][T][E]")
    memory: TensorField | None = Field(
        None, description="encoder vectors [S][E_mem] or [B][S][E_mem]: cross-attention"
    )
    q: TensorField | None = Field(None, description="heads given: [T][D], [H][T][D], [B][H][T][D]")
    k: TensorField | None = Field(None, description="[S][D], [K][S][D] or [B][K][S][D]")
    v: TensorField | None = Field(None, description="[S][Dv], [K][S][Dv] or [B][K][S][Dv]")
    past_k: TensorField | None = Field(None, description="cached keys [B][K][P][D]")
    past_v: TensorField | None = Field(None, description="cached values [B][K][P][Dv]")
    tokens: list[Any] | None = Field(None, description="labels of queries, [T] or [B][T]")
    memory_tokens: list[Any] | None = Field(None, description="labels of keys, [S] or [B][S]")
    num_heads: Count | None = Field(None, description="query heads H")
    num_kv_heads: Count | None = Field(None, description="KV heads K; H is a multiple of K")
    head_dim: Count | None = Field(None, description="width of q and k per head, default E / H")
    value_dim: Count | None = Field(None, description="width of v per head, default head_dim")
    projection: Projection | None = Field(None, description="default: random, seed 0")
    qk_norm: QkNorm | None = None
    rope: Rope | None = None
    scale: Number | None = Field(None, description="default 1/sqrt(head_dim); 1 switches it off")
    softcap: Annotated[Number, Field(gt=0)] | None = Field(
        None, description="scores become c·tanh(scores/c)"
    )
    biases: list[Bias] = Field([], description="added to the scores")
    masks: list[Mask] = Field([], description="a key is visible when every mask allows it")
    sinks: TensorField | None = Field(None, description="[H] logits in the denominator")
    fill: Literal["-Infinity"] | Number = Field(
        "-Infinity", description="what a masked score is set to"
    )
    mask_order: Literal["before_softmax", "after_softmax"] = "before_softmax"
    fully_masked: Literal["zero", "nan", "uniform"] = Field(
        "zero", description="weights of a row that sees no key"
    )
    dropout: Dropout | None = None
    dtype: Literal["float32", "float64", "float16", "bfloat16"] = "float32"

    def specification(self) -> Specification:
        """The library's object, with the very same names."""
        return Specification.of(**{name: _plain(value) for name, value in self})


def _plain(value: Any) -> Any:
    """Models as dictionaries, one level at a time, arrays untouched."""
    if isinstance(value, BaseModel):
        return {name: _plain(part) for name, part in value if part is not None}
    if isinstance(value, list) and value and isinstance(value[0], BaseModel):
        return [_plain(part) for part in value]
    return value
