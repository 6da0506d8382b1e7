"""Stated limits on the size of one request, checked on its measured lengths."""

from __future__ import annotations

from math import ceil
from typing import Any, TypeAlias

import torch

from app.demand import bytes_of_inputs, bytes_of_random, bytes_of_work, seconds_of
from app.places import hold, path_of_request
from app.settings import Settings
from attention import Dimensions, LimitError, Specification

Path: TypeAlias = tuple[str | int, ...]


def check_limits(spec: Specification, dims: Dimensions, settings: Settings) -> None:
    """Raise `LimitError` for the first limit exceeded; nothing has been computed yet.

    Within them, the memory of the vectors and the projections is waited for.
    """
    width = max(dims.E or 0, dims.E_mem or 0, dims.H * dims.D, dims.H * dims.Dv)
    within(dims.B, "max_batch", "sequences in the batch", _source(spec), settings)
    within(max(dims.T, dims.S), "max_tokens", "tokens of one sequence", _source(spec), settings)
    within(dims.H, "max_heads", "query heads", "num_heads", settings)
    within(width, "max_width", "numbers per token over all heads", "head_dim", settings)
    if spec.x is not None:
        weights = sum(rows * columns for rows, columns in dims.weight_shapes().values())
        within(weights, "max_weights", "numbers of all projections", "projection", settings)
    hold("inputs", bytes_of_inputs(dims))


def check_work(
    spec: Specification, settings: Settings, cells: int, products: int, answered: int | None = None
) -> None:
    """Limit what is answered (cells), what is computed for it (multiply-adds), time and memory.

    ``answered`` are the bytes that the answer takes for each cell, where the caller knows them.
    """
    within(cells, "max_cells", "cells of the answer", _source(spec), settings)
    within(products, "max_products", "multiply-adds of q·k", _source(spec), settings)
    seconds = ceil(seconds_of(cells, products))
    within(seconds, "max_seconds", "seconds that this is expected to take", _source(spec), settings)
    hold("work", bytes_of_work(path_of_request(), cells, itemsize(spec), answered))


def check_search(spec: Specification, dims: Dimensions, settings: Settings) -> None:
    """Limit what mistakes are looked for in: each of many attempts costs a run."""
    cells = dims.B * dims.H * dims.T * dims.S
    within(cells, "max_check_cells", "cells of a check", _source(spec), settings)
    hold("work", bytes_of_work(path_of_request(), cells, itemsize(spec), None))
    if spec.x is not None:
        weights = sum(rows * columns for rows, columns in dims.weight_shapes().values())
        what = "numbers of all projections of a check"
        within(weights, "max_check_weights", what, "projection", settings)


def check_counts(body: Any, settings: Settings, loc: Path = ()) -> None:
    """Limit the lists of masks and biases in a parsed body, before each item is looked at."""
    if not loc:
        hold("random", bytes_of_random(body))
    if not isinstance(body, dict):
        return
    for name in ("masks", "biases"):
        if isinstance(body.get(name), list):
            within(len(body[name]), "max_masks", name, (*loc, name), settings)
    for name in ("spec", "a", "b"):
        check_counts(body.get(name), settings, (*loc, name))


def within(got: int, limit: str, what: str, loc: str | Path, settings: Settings) -> None:
    """Raise `LimitError` where ``got`` is more than the setting ``limit`` allows."""
    allowed = getattr(settings, limit)
    if got > allowed:
        raise LimitError(
            what,
            limit=limit,
            loc=(loc,) if isinstance(loc, str) else loc,
            expected=f"at most {allowed}",
            got=got,
        )


def itemsize(spec: Specification) -> int:
    """Bytes of a number of the run."""
    dtype: torch.dtype = getattr(torch, spec.dtype)
    return dtype.itemsize


def _source(spec: Specification) -> str:
    return "q" if spec.x is None else "x"
