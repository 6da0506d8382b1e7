"""Tensors as JSON: nested lists straight from the array, or base64 typed arrays."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
import orjson
import pybase64
import torch
from torch import Tensor

Encoding = Literal["list", "base64"]
Form = Literal["list", "base64", "raw"]
"""An answer is JSON in one of the encodings, or raw: a safetensors file (`app.raw`)."""
TYPED = {
    torch.float64: "f8", torch.float32: "f4", torch.int64: "i8", torch.int32: "i4",
    torch.uint8: "u1",
}  # fmt: skip

PIECE = 2**16
"""Numbers that are written at once."""


def encode(tensor: Tensor, encoding: Encoding) -> Any:
    """One tensor in the asked form; 16-bit floats are widened, booleans are 0 and 1."""
    plain = widened(tensor)
    return typed(plain) if encoding == "base64" else orjson.Fragment(lists(plain.numpy()))


def widened(tensor: Tensor) -> Tensor:
    """As it is stored and sent: 16-bit floats as float32, booleans as 0 and 1."""
    if tensor.dtype in (torch.float16, torch.bfloat16):
        tensor = tensor.float()
    elif tensor.dtype == torch.bool:
        tensor = tensor.to(torch.uint8)
    return tensor.contiguous()


def typed(tensor: Tensor) -> dict[str, Any]:
    """Plotly's typed-array form, little-endian; its text goes into the answer without a copy."""
    array = tensor.numpy()
    data = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return {
        "dtype": TYPED[tensor.dtype],
        "bdata": orjson.Fragment(b'"' + pybase64.b64encode(data.data) + b'"'),
        "shape": ",".join(map(str, tensor.shape)),
    }


def lists(array: np.ndarray[Any, Any]) -> bytes:
    """Nested JSON lists; NaN and infinities as strings, which JSON has no numbers for.

    Long ones are written in pieces: between two of them other threads have their turn, and what a
    piece takes beside its text is little.
    """
    if array.size <= PIECE:
        return _lists(array)
    row = array[0].size
    if row > PIECE:
        return b"[" + b",".join(map(lists, array)) + b"]"
    rows = range(0, len(array), max(1, PIECE // max(1, row)))
    pieces = (array[start : start + rows.step] for start in rows)
    return b"[" + b",".join(_lists(piece)[1:-1] for piece in pieces) + b"]"


def _lists(array: np.ndarray[Any, Any]) -> bytes:
    text = orjson.dumps(np.ascontiguousarray(array), option=orjson.OPT_SERIALIZE_NUMPY)
    if array.dtype.kind != "f":
        return text
    odd = array[~np.isfinite(array)]
    if not odd.size:
        return text
    names = np.where(np.isnan(odd), b'"NaN"', np.where(odd > 0, b'"Infinity"', b'"-Infinity"'))
    pieces = text.split(b"null")
    woven = [b""] * (2 * len(pieces) - 1)
    woven[0::2], woven[1::2] = pieces, names.tolist()
    return b"".join(woven)


def number(value: float) -> float | str:
    """A single number for JSON: not finite ones by name."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
