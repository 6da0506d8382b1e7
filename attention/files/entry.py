"""What every reader of tensor files offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attention.arrays import Array


@dataclass(frozen=True)
class Entry:
    """One tensor of a file, by name; its numbers are not read yet."""

    name: str
    dtype: str
    shape: tuple[int, ...]


@dataclass(frozen=True)
class Source:
    """A file on disk under the name that its owner gave it, which is only ever shown."""

    path: Path
    name: str
    max_bytes: int = 2**30
    """What the file may come to once it is unpacked."""
    options: Mapping[str, str] = field(default_factory=dict)
    """How to read a text table, where it should not be detected."""
    beside: Mapping[str, Path] | None = None
    """The other files of a sharded checkpoint by name, where they are not in its folder."""

    def size(self) -> int:
        """Bytes on disk."""
        return self.path.stat().st_size


class ArrayFile(ABC):
    """Tensors by name. Opening checks the file; ``read`` brings one tensor.

    ``detected`` says what was found out about how the file is written; ``config`` is the parsed
    config.json, where the file is one.
    """

    entries: Mapping[str, Entry]
    detected: dict[str, Any]
    config: Mapping[str, Any] | None = None

    @abstractmethod
    def read(self, name: str) -> Array:
        """The numbers of one entry, in their stored type."""
