"""From a body's bytes to a result: read, validate, measure, check limits, compute."""

from __future__ import annotations

from typing import TypeVar

import torch
from pydantic import BaseModel, ValidationError

from app.body import read_json
from app.limits import check_count, check_limits
from app.problems import from_validation
from app.settings import Settings
from attention import Dimensions, Result, Specification, Task, prepare, run

T = TypeVar("T", bound=BaseModel)
TINY_PRODUCTS = 2**22
ALL_THREADS = torch.get_num_threads()


def validated(model: type[T], body: bytes) -> T:
    """The body as ``model``; problems name every place."""
    value = read_json(body)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise from_validation(error, value, model) from None


def compute(spec: Specification, settings: Settings) -> Result:
    """Run a specification within the limits."""
    dims = measured(spec, settings)
    with torch.inference_mode():
        return run(spec, dims)


def prepared(spec: Specification, settings: Settings, rows: int) -> Task:
    """A specification made ready, where only ``rows`` queries will be computed."""
    dims = measured(spec, settings, rows)
    with torch.inference_mode():
        return prepare(spec, dims)


def measured(spec: Specification, settings: Settings, rows: int | None = None) -> Dimensions:
    """The lengths, within the limits; sets how many threads the work is worth."""
    check_count(spec, settings)
    dims = Dimensions.of(spec)
    check_limits(spec, dims, settings, rows)
    tiny = dims.B * dims.H * (rows or dims.T) * dims.S * dims.D <= TINY_PRODUCTS
    torch.set_num_threads(1 if tiny else ALL_THREADS)
    return dims
