"""Bodies of the routes that take more than a specification."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.schemas.parts import Strict
from app.schemas.specification import SpecificationBody


class CompareBody(Strict):
    """Two specifications; the answer is a − b."""

    a: SpecificationBody
    b: SpecificationBody


class ExportBody(Strict):
    """A run as a file."""

    spec: SpecificationBody
    format: Literal["npz", "safetensors", "csv", "json"]
    tensors: list[str] | None = Field(
        None, min_length=1, description="names as in the answer's `tensors`; default: all of them"
    )
