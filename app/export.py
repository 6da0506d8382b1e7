"""A run's tensors as files; every format holds the same numbers under the API's names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

import numpy as np
import orjson
from safetensors.torch import save as save_safetensors
from torch import Tensor

from app.encode import encode, widened
from attention import AXES, Result

COLUMNS = ("tensor", "batch", "head", "query", "key", "value")
COLUMN_OF_AXIS = {
    "batch": "batch",
    "query head": "head",
    "kv head": "head",
    "query": "query",
    "key": "key",
    "dim": "dim",
    "value dim": "dim",
    "model dim": "dim",
}


def npz(tensors: dict[str, Tensor]) -> bytes:
    """NumPy's archive of one .npy per tensor."""
    file = io.BytesIO()
    np.savez_compressed(file, **{name: t.numpy() for name, t in tensors.items()})  # type: ignore[arg-type]
    return file.getvalue()


def safetensors(tensors: dict[str, Tensor]) -> bytes:
    """Hugging Face's format."""
    return save_safetensors({name: t.contiguous() for name, t in tensors.items()})


def json(tensors: dict[str, Tensor]) -> bytes:
    """``{"tensors": {name: nested lists}}``, the form that requests take too."""
    return orjson.dumps({"tensors": {name: encode(t, "list") for name, t in tensors.items()}})


def csv_text(tensors: dict[str, Tensor]) -> bytes:
    """One row a cell; a last column ``dim`` where a tensor has an axis of numbers."""
    wide = any(axis.endswith("dim") for name in tensors for axis in AXES[name])
    columns = COLUMNS + (("dim",) if wide else ())
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for name, tensor in tensors.items():
        writer.writerows(_rows(name, tensor, columns))
    return file.getvalue().encode()


def _rows(name: str, tensor: Tensor, columns: tuple[str, ...]) -> Iterable[list[Any]]:
    places = [columns.index(COLUMN_OF_AXIS[axis]) for axis in AXES[name]]
    at = columns.index("value")
    array = tensor.numpy()
    for index in np.ndindex(array.shape):
        row: list[Any] = [""] * len(columns)
        row[0], row[at] = name, array[index]
        for column, i in zip(places, index, strict=True):
            row[column] = i
        yield row


def chosen(result: Result, names: Iterable[str]) -> dict[str, Tensor]:
    """The named tensors at float32 or wider."""
    return {name: widened(getattr(result, name)) for name in names}
