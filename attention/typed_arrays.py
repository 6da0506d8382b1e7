"""Arrays as Plotly writes them in JSON: a type, base64 bytes in little-endian order, a shape."""

from __future__ import annotations

import base64
import binascii
import math
from typing import Any

import numpy as np

from attention.arrays import say
from attention.errors import ShapeError, SpecificationError

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


def is_typed(value: Any) -> bool:
    """Whether a JSON value means to be a typed array."""
    return isinstance(value, dict) and "bdata" in value


def array_from_typed(value: dict[str, Any]) -> np.ndarray[Any, Any]:
    """``{"dtype": "f4", "bdata": …, "shape": "2,3"}`` as an array of that type and shape.

    Errors: `SpecificationError` for a wrong key, type or text, and `ShapeError` where the bytes
    do not fill the shape, both with the place.
    """
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
