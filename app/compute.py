"""From a body's bytes to a result: read, validate, measure, check limits, compute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import torch
from pydantic import BaseModel, ValidationError

from app.body import read_json
from app.kept import Kept, fingerprint
from app.limits import check_counts, check_limits, check_work
from app.places import threads
from app.problems import from_validation
from app.schemas.specification import SpecificationBody
from app.settings import Settings
from app.uploads import Store
from attention import Dimensions, Result, Specification, Task, prepare, run

T = TypeVar("T", bound=BaseModel)
TINY_PRODUCTS = 2**24


def validated(model: type[T], body: bytes, settings: Settings) -> T:
    """The body as ``model``, its references to uploads resolved; problems name every place."""
    return _read(model, body, settings)[0]


def with_key(model: type[T], body: bytes, settings: Settings) -> tuple[T, bytes | None]:
    """As `validated`, and what the task of the body's ``spec`` is kept by."""
    found, value, store = _read(model, body, settings)
    return found, fingerprint(value["spec"], store.used)


def _read(model: type[T], body: bytes, settings: Settings) -> tuple[T, Any, Store]:
    value, store = read_json(body), Store(settings)
    check_counts(value, settings)
    try:
        return model.model_validate(value, context=store), value, store
    except ValidationError as error:
        raise from_validation(error, value, model) from None


def compute(spec: Specification, settings: Settings, answered: int | None = None) -> Result:
    """Run a specification within the limits; ``answered`` bytes a cell go into the answer."""
    dims = measured(spec, settings)
    cells = dims.B * dims.H * dims.T * dims.S
    allow_work(spec, settings, cells, cells * dims.D, answered)
    with torch.inference_mode():
        return run(spec, dims)


def prepared(body: SpecificationBody, key: bytes | None, kept: Kept, settings: Settings) -> Task:
    """A specification made ready to compute a part of; its size is not yet limited."""

    def make() -> Task:
        spec = body.specification()
        dims = measured(spec, settings)
        with torch.inference_mode():
            return prepare(spec, dims)

    return kept.task(key, make)


def measured(spec: Specification, settings: Settings) -> Dimensions:
    """The lengths, each within its limit."""
    dims = Dimensions.of(spec)
    check_limits(spec, dims, settings)
    return dims


def allow_work(
    spec: Specification, settings: Settings, cells: int, products: int, answered: int | None = None
) -> None:
    """Check the size of the answer and of its work, and choose how many threads it is worth."""
    check_work(spec, settings, cells, products, answered)
    torch.set_num_threads(1 if products <= TINY_PRODUCTS else threads())


def use_all_threads() -> None:
    """For heavy work of the thread that calls: its share of the cores."""
    torch.set_num_threads(threads())


@contextmanager
def many_small_runs() -> Iterator[None]:
    """For hundreds of small products: threads would wait for each other longer than they work."""
    torch.set_num_threads(1)
    with torch.inference_mode():
        yield
