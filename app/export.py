"""A run's tensors as files; every format holds the same numbers under the API's names."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import orjson
import torch
from jinja2 import Environment, FileSystemLoader, Template
from markupsafe import Markup
from safetensors.torch import save as save_safetensors
from torch import Tensor

from app.encode import encode, widened
from app.paths import STATIC_DIRECTORY, TEMPLATES_DIRECTORY
from attention import AXES, Result, picture

Names = tuple[str, ...]


class Export(NamedTuple):
    """What a file is made from."""

    result: Result
    names: Names
    specification: Any


LONGEST_TITLE = 60
COLUMNS = ("tensor", "batch", "head", "query", "key", "value")
PLOTLY = STATIC_DIRECTORY / "vendor" / "plotly" / "plotly-cartesian.min.js"
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


def npz(run: Export) -> bytes:
    """NumPy's archive of one .npy per tensor."""
    file = io.BytesIO()
    np.savez_compressed(file, **{name: t.numpy() for name, t in chosen(run).items()})  # type: ignore[arg-type]
    return file.getvalue()


def safetensors(run: Export) -> bytes:
    """Hugging Face's format."""
    return save_safetensors(chosen(run))


def json(run: Export) -> bytes:
    """``{"tensors": {name: nested lists}}``, the form that requests take too."""
    return orjson.dumps({"tensors": {name: encode(t, "list") for name, t in chosen(run).items()}})


def csv_text(run: Export) -> bytes:
    """One row a cell; a last column ``dim`` where a tensor has an axis of numbers."""
    wide = any(axis.endswith("dim") for name in run.names for axis in AXES[name])
    columns = COLUMNS + (("dim",) if wide else ())
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    for name, tensor in chosen(run).items():
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


def chosen(run: Export) -> dict[str, Tensor]:
    """The named tensors at float32 or wider."""
    return {name: widened(getattr(run.result, name)) for name in run.names}


def html(run: Export) -> bytes:
    """One page with the live picture of every head; it loads nothing."""
    result, dims = run.result, run.result.layout
    pictures = [[picture(result, batch=b, head=h) for h in range(dims.H)] for b in range(dims.B)]
    about = {
        "queries": result.task.query_labels,
        "keys": result.task.key_labels,
        "kv_head_of": [h // dims.G for h in range(dims.H)],
        "single": widened(result.weights).dtype == torch.float32,
    }
    return (
        _template("export.html")
        .render(
            title=_title(result),
            summary=f"{dims.kind.upper()}: {dims.H} query heads on {dims.K} KV heads,"
            f" {dims.T} queries, {dims.S} keys",
            warnings=[notice.message for notice in result.warnings],
            specification=orjson.dumps(run.specification).decode(),
            plotly=Markup(PLOTLY.read_text(encoding="utf-8")),
            pictures=Markup(_for_script(orjson.dumps(pictures).decode())),
            run=Markup(_for_script(orjson.dumps(about).decode())),
        )
        .encode()
    )


def _title(result: Result) -> str:
    """What attends, in its own words."""
    words = " ".join(result.task.query_labels[0])
    return f"Attention: {words if len(words) <= LONGEST_TITLE else words[:LONGEST_TITLE] + '…'}"


def _for_script(text: str) -> str:
    """JSON that cannot end the script element it stands in."""
    return text.replace("<", "\\u003c")


def _template(name: str) -> Template:
    return Environment(loader=FileSystemLoader(TEMPLATES_DIRECTORY), autoescape=True).get_template(
        name
    )


FORMATS: dict[str, tuple[str, Callable[[Export], bytes]]] = {
    "npz": ("application/zip", npz),
    "safetensors": ("application/octet-stream", safetensors),
    "csv": ("text/csv; charset=utf-8", csv_text),
    "json": ("application/json", json),
    "html": ("text/html; charset=utf-8", html),
}
"""Media type and writer of each format."""
