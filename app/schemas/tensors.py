"""How a tensor is written in JSON: lists, base64 typed arrays, a place in an upload, or a seed."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import PlainValidator, ValidationInfo, WithJsonSchema
from torch import Tensor

from app.errors import inside
from app.uploads import Store
from attention import (
    ARRAY_TYPES,
    DRAWINGS,
    Drawn,
    SpecificationError,
    array_from_lists,
    array_from_typed,
    say,
)

SCHEMA = {
    "description": (
        "Numbers: nested lists (non-finite ones as the strings NaN, Infinity, -Infinity), or a"
        " typed array with base64 little-endian bytes, or a tensor of an upload, or"
        " random numbers that a seed decides (normal: N(0, 1); waves: each column a cosine along"
        " the tokens, so that near tokens are alike)"
    ),
    "anyOf": [
        {"type": "array", "items": {}},
        {
            "type": "object",
            "properties": {
                "dtype": {"enum": list(ARRAY_TYPES)},
                "bdata": {"type": "string", "contentEncoding": "base64"},
                "shape": {"type": "string", "examples": ["2,3,4"]},
            },
            "required": ["bdata", "dtype", "shape"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "upload": {"type": "string", "description": "the id of an upload"},
                "name": {"type": "string", "description": "may be left out if there is only one"},
            },
            "required": ["upload"],
            "additionalProperties": False,
        },
        {
            "type": "object",
            "properties": {
                "random": {
                    "type": "object",
                    "properties": {
                        "shape": {
                            "type": "array",
                            "items": {"type": "integer", "minimum": 1},
                            "minItems": 1,
                            "maxItems": 4,
                        },
                        "seed": {
                            "type": "integer",
                            "minimum": 0,
                            "maximum": 2**32 - 1,
                            "default": 0,
                        },
                        "kind": {"enum": list(DRAWINGS), "default": "normal"},
                    },
                    "required": ["shape"],
                    "additionalProperties": False,
                }
            },
            "required": ["random"],
            "additionalProperties": False,
        },
    ],
}


def read_tensor(value: Any, info: ValidationInfo) -> np.ndarray[Any, Any] | Tensor | Drawn:
    """A JSON value as an array; errors carry the place inside it."""
    if isinstance(value, dict) and set(value) == {"random"}:
        with inside("random"):
            return Drawn.of(value["random"], uploads_of(info).settings.max_random)
    if isinstance(value, dict) and "upload" in value:
        return uploaded_tensor(value, uploads_of(info))
    if isinstance(value, dict):
        return array_from_typed(value)
    if isinstance(value, list):
        return array_from_lists(value)
    raise SpecificationError(
        "an array must stand here",
        expected="nested lists, a typed array, an upload's tensor or a random one",
        got=say(value),
    )


def read_tensor_or_number(value: Any, info: ValidationInfo) -> Any:
    """A single whole number, or an array."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if whole or isinstance(value, (list, dict)):
        return value if whole else read_tensor(value, info)
    raise SpecificationError(
        "a whole number must stand here, or one per batch item", got=say(value)
    )


def uploaded_tensor(value: dict[str, Any], uploads: Store) -> np.ndarray[Any, Any] | Tensor:
    """``{"upload": id, "name": …}``, read from where it was kept."""
    odd = sorted(set(value) - {"upload", "name"})
    if odd:
        raise SpecificationError(
            "a tensor of an upload has upload and name",
            expected="upload, name",
            got=f"{', '.join(map(repr, odd))} unknown",
        )
    with inside("upload"):
        upload = uploads.load(value["upload"])
    tensor: np.ndarray[Any, Any] | Tensor = upload.tensor(value.get("name"))
    return tensor


def uploads_of(info: ValidationInfo) -> Store:
    """Where references to uploads are looked up."""
    if not isinstance(info.context, Store):
        raise SpecificationError("uploads cannot be referred to here", got="an upload")
    return info.context


TensorField = Annotated[Any, PlainValidator(read_tensor), WithJsonSchema(SCHEMA)]
WholeNumbers = Annotated[
    Any,
    PlainValidator(read_tensor_or_number),
    WithJsonSchema({"anyOf": [{"type": "integer"}, *SCHEMA["anyOf"]]}),
]
