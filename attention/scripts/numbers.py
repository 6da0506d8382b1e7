"""Numbers as source text: written out while they are few, as base64 of their bytes beyond."""

from __future__ import annotations

import base64
from textwrap import indent, wrap
from typing import Any

import numpy as np
import torch
from torch import Tensor

SHORT = 96
"""Numbers of one array that a reader still looks at."""
COLUMNS = 88
"""A line of numbers."""
BESIDE = 48
"""Columns of numbers that leave room for a name, a type and a shape on a line of 100."""


def is_short(tensor: Tensor) -> bool:
    """Whether the numbers are written out."""
    return tensor.numel() <= SHORT


def names_in(text: str) -> set[str]:
    """The imports that written numbers need."""
    return {f"from math import {name}" for name in ("inf", "nan") if name in text}


def written(tensor: Tensor, dtype: str = "float64") -> str:
    """Nested lists, each number as short as it can be without becoming another."""
    single = tensor.dtype == torch.float32 and dtype == "float32"
    wide = tensor.float() if single else tensor.double() if tensor.is_floating_point() else tensor
    return _nested(_texts(wide.numpy()))


def packed(tensor: Tensor) -> tuple[str, str]:
    """NumPy's name of the little-endian type, and the bytes in lines of base64.

    NumPy has no bfloat16; float32 holds each of its numbers.
    """
    plain = tensor.float() if tensor.dtype == torch.bfloat16 else tensor
    array = plain.contiguous().numpy()
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    return little.dtype.str, base64.encodebytes(little.tobytes()).decode("ascii")


def number(value: Any) -> str:
    """One number; whole ones without a point, -0 with its sign, infinities by name."""
    whole = np.isfinite(value) and value == int(value) and abs(value) < 1e6
    if whole and not (value == 0 and np.signbit(value)):
        return str(int(value))
    return str(value)


def _texts(array: np.ndarray[Any, Any]) -> Any:
    return [_texts(row) for row in array] if array.ndim else number(array[()])


def _nested(texts: Any, room: int = BESIDE, line: int = COLUMNS) -> str:
    """On one line where ``room`` is enough, else a line for each row, ``line`` columns wide."""
    flat = _inline(texts)
    if len(flat) <= room:
        return flat
    line -= 4
    if isinstance(texts[0], str):
        inner = "\n".join(wrap(flat[1:-1], line, break_on_hyphens=False))
    else:
        inner = ",\n".join(_nested(row, line, line) for row in texts)
    return "[\n" + indent(inner, "    ") + ",\n]"


def _inline(texts: Any) -> str:
    return texts if isinstance(texts, str) else "[" + ", ".join(map(_inline, texts)) + "]"
