"""Parts of a specification back in their plain form: dictionaries with a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from attention.arrays import as_tensor
from attention.biases import BIASES
from attention.masks import MASKS
from attention.projection import PROJECTIONS

KINDS = {kind: name for kinds in (MASKS, BIASES, PROJECTIONS) for name, kind in kinds.items()}


def plain(value: Any) -> Any:
    """Dictionaries and lists, arrays as tensors; fields that are not set are left out."""
    if isinstance(value, np.ndarray):
        return as_tensor(value, ())
    if is_dataclass(value) and not isinstance(value, type):
        found = {f.name: plain(getattr(value, f.name)) for f in fields(value)}
        said = {name: part for name, part in found.items() if part is not None}
        kind = KINDS.get(type(value))
        return said if kind is None else {"kind": kind, **said}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    return value
