"""Specifications made ready, kept by their content: zooming does not project again.

Nothing depends on it: what is lost costs time alone. A kept task also remembers the logsumexp of
rows that it has seen whole (`attention.tiles`), which is all that a window elsewhere needs.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from threading import Lock
from typing import Any

import numpy as np
import orjson
from torch import Tensor

from attention import Task

BYTES_A_ROW = 5  # a logsumexp, and whether it is known


def fingerprint(spec: Any, uploads: Iterable[bytes]) -> bytes | None:
    """What decides a task: the specification as it was read, and the uploads it refers to.

    None for a specification that is too odd to write down, such as a number of 30 digits.
    """
    try:
        text = orjson.dumps(spec, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return None
    digest = blake2b(text, digest_size=32)
    for record in uploads:
        digest.update(blake2b(record, digest_size=32).digest())
    return digest.digest()


class Kept:
    """At most ``limit`` bytes of tasks; the least recently used go first. Safe in threads."""

    def __init__(self, limit: int) -> None:
        self._limit, self.size = limit, 0
        self.found, self.missed = 0, 0
        self._tasks: OrderedDict[bytes, tuple[Task, int]] = OrderedDict()
        self._lock = Lock()

    def task(self, key: bytes | None, make: Callable[[], Task]) -> Task:
        """The task of this content, made if it is not there."""
        with self._lock:
            if key is not None and key in self._tasks:
                self._tasks.move_to_end(key)
                self.found += 1
                return self._tasks[key][0]
            self.missed += 1
        task = make()
        if key is not None:
            self._keep(key, task, size_of(task))
        return task

    def _keep(self, key: bytes, task: Task, size: int) -> None:
        with self._lock:
            if size > self._limit or key in self._tasks:
                return
            self._tasks[key] = task, size
            self.size += size
            while self.size > self._limit:
                _, (_, freed) = self._tasks.popitem(last=False)
                self.size -= freed


def size_of(task: Task) -> int:
    """Bytes that a task holds on to; its masks and biases bound, at most twice what was given."""
    arrays: dict[int, int] = {}
    _gather((task.q, task.k, task.v, task.weights, task.spec), arrays)
    bound: dict[int, int] = {}
    _gather((task.spec.masks, task.spec.biases), bound)
    dims = task.dims
    rows = dims.B * dims.H * dims.T * BYTES_A_ROW
    return sum(arrays.values()) + 2 * sum(bound.values()) + rows


def _gather(value: Any, found: dict[int, int]) -> None:
    """Sizes of the arrays below ``value``, each memory once."""
    if isinstance(value, Tensor):
        found[value.untyped_storage().data_ptr()] = value.untyped_storage().nbytes()
    elif isinstance(value, np.ndarray):
        found[value.ctypes.data] = value.nbytes
    elif isinstance(value, (tuple, list)):
        for part in value:
            _gather(part, found)
    elif is_dataclass(value):
        for field in fields(value):
            _gather(getattr(value, field.name), found)
