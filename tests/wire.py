"""Writing and reading the tensors of the JSON API, in both of its encodings."""

import base64
import json
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

TYPES = {"f4": "<f4", "f8": "<f8", "u1": "|u1", "i4": "<i4", "f2": "<f2", "i8": "<i8"}


def listed(value: Any) -> Any:
    """Any tree of arrays and numbers as plain JSON, non-finite numbers as their three strings."""
    if isinstance(value, np.ndarray | np.generic):
        return listed(value.tolist())
    if isinstance(value, dict):
        return {name: listed(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [listed(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def typed(array: NDArray[Any], dtype: str) -> dict[str, str]:
    """One array in the typed form: little-endian bytes in base64, the shape as text."""
    raw = np.ascontiguousarray(array.astype(TYPES[dtype])).tobytes()
    shape = ",".join(str(length) for length in array.shape)
    return {"dtype": dtype, "bdata": base64.b64encode(raw).decode("ascii"), "shape": shape}


def with_typed_tensors(value: Any) -> Any:
    """The same tree with every array in the typed form: booleans as u1, the rest as f8."""
    if isinstance(value, np.ndarray):
        return typed(value, "u1" if value.dtype == np.bool_ else "f8")
    if isinstance(value, dict):
        return {name: with_typed_tensors(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [with_typed_tensors(item) for item in value]
    return listed(value)


def array(tensor: Any) -> NDArray[Any]:
    """A tensor of an answer, in either encoding, as a NumPy array."""
    if isinstance(tensor, dict):
        flat = np.frombuffer(base64.b64decode(tensor["bdata"]), dtype=TYPES[tensor["dtype"]])
        return flat.reshape([int(length) for length in str(tensor["shape"]).split(",")])
    return np.array(_floats(tensor), dtype=np.float64)


def _floats(value: Any) -> Any:
    return [_floats(item) for item in value] if isinstance(value, list) else float(value)


def strict_json(text: str | bytes) -> Any:
    """Parse as RFC 8259 does: the bare words NaN and Infinity are not JSON."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)
