"""How a tensor is written in JSON: nested lists, or base64 typed arrays."""

from __future__ import annotations

import base64
import binascii
import math
from typing import Annotated, Any

import numpy as np
from pydantic import PlainValidator, WithJsonSchema

from attention import ShapeError, SpecificationError, array_from_lists, say

TYPES = {
    "f8": "<f8",
    "f4": "<f4",
    "f2": "<f2",
    "i1": "<i1",
    "i2": "<i2",
    "i4": "<i4",
    "i8": "<i8",
    "u1": "<u1",
    "u2": "<u2",
    "u4": "<u4",
    "u8": "<u8",
}
KEYS = {"dtype", "bdata", "shape"}
SCHEMA = {
    "description": (
        "Numbers: nested lists (non-finite ones as the strings NaN, Infinity, -Infinity), or a"
        " typed array with base64 little-endian bytes"
    ),
    "anyOf": [
        {"type": "array", "items": {}},
        {
            "type": "object",
            "properties": {
                "dtype": {"enum": list(TYPES)},
                "bdata": {"type": "string", "contentEncoding": "base64"},
                "shape": {"type": "string", "examples": ["2,3,4"]},
            },
            "required": sorted(KEYS),
            "additionalProperties": False,
        },
    ],
}


def read_tensor(value: Any) -> np.ndarray[Any, Any]:
    """A JSON value as an array; errors carry the place inside it."""
    if isinstance(value, dict):
        return _typed(value)
    if isinstance(value, list):
        return array_from_lists(value)
    raise SpecificationError(
        "an array must stand here",
        expected="nested lists or a typed array",
        got=say(value),
    )


def read_tensor_or_number(value: Any) -> Any:
    """A single whole number, or an array."""
    return value if isinstance(value, int) and not isinstance(value, bool) else read_tensor(value)


def _typed(value: dict[str, Any]) -> np.ndarray[Any, Any]:
    if set(value) != KEYS:
        odd = sorted(set(value) ^ KEYS)
        raise SpecificationError(
            "a typed array has dtype, bdata and shape",
            expected=", ".join(sorted(KEYS)),
            got=f"{', '.join(map(repr, odd))} missing or unknown",
        )
    kind = value["dtype"]
    if not isinstance(kind, str) or kind not in TYPES:
        raise SpecificationError(
            "dtype names the numbers' type",
            loc=("dtype",),
            expected=", ".join(TYPES),
            got=say(kind),
        )
    shape = _shape(value["shape"])
    array = np.frombuffer(_bytes(value["bdata"]), np.uint8)
    dtype = np.dtype(TYPES[kind])
    if array.nbytes != math.prod(shape) * dtype.itemsize:
        raise ShapeError(
            "bytes and shape must agree",
            loc=("bdata",),
            expected=f"{math.prod(shape) * dtype.itemsize} bytes for {kind} of shape {list(shape)}",
            got=f"{array.nbytes} bytes",
        )
    return array.view(dtype).reshape(shape)


def _shape(value: Any) -> tuple[int, ...]:
    parts = value if isinstance(value, list) else str(value).split(",")
    try:
        shape = tuple(int(str(part)) for part in parts)
    except (TypeError, ValueError):
        shape = (-1,)
    if not 1 <= len(shape) <= 4 or any(not 0 <= n < 2**40 for n in shape):
        raise ShapeError(
            "shape lists 1 to 4 lengths",
            loc=("shape",),
            expected='such as "2,3,4"',
            got=say(value),
        )
    return shape


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (TypeError, ValueError, binascii.Error):
        raise SpecificationError(
            "bdata is base64", loc=("bdata",), expected="base64 text", got="something else"
        ) from None


TensorField = Annotated[Any, PlainValidator(read_tensor), WithJsonSchema(SCHEMA)]
WholeNumbers = Annotated[
    Any,
    PlainValidator(read_tensor_or_number),
    WithJsonSchema({"anyOf": [{"type": "integer"}, *SCHEMA["anyOf"]]}),
]
