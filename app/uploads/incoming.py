"""A file on its way in: written to disk as it comes, hashed on the way."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path
from types import TracebackType
from typing import TypeAlias

from anyio import to_thread

from app.problems import ProblemError
from attention import kind_of

BLOCK = 2**20


class Incoming:
    """Bytes of one part of a form; ``path`` holds them all once it is finished."""

    def __init__(self, folder: Path, name: str, limit: int, setting: str | None) -> None:
        self.name, self.size = name, 0
        self._limit, self._setting = limit, setting
        self._hash = hashlib.sha256()
        self._waiting = bytearray()
        handle, path = tempfile.mkstemp(dir=folder, suffix=".part")
        self._file = os.fdopen(handle, "wb")
        self.path = Path(path)

    @property
    def digest(self) -> str:
        """SHA-256 of the content, in hex."""
        return self._hash.hexdigest()

    async def write(self, data: bytes | bytearray) -> None:
        """Take some bytes; over the limit everything is refused at once."""
        self.size += len(data)
        if self.size > self._limit:
            raise too_large(self.name, self._limit, self._setting, f"{self.size} or more")
        self._waiting += data
        if len(self._waiting) >= BLOCK:
            await self._flush()

    async def finish(self) -> None:
        """Everything is on disk."""
        await self._flush()
        self._file.close()

    async def _flush(self) -> None:
        data, self._waiting = bytes(self._waiting), bytearray()
        await to_thread.run_sync(self._store, data)

    def _store(self, data: bytes) -> None:
        self._hash.update(data)
        self._file.write(data)

    def discard(self) -> None:
        """Leave nothing behind, unless the file was moved to its place."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class Present:
    """A file that is on disk already, to be taken in like one that came; it is moved."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name, self.size = path, name, path.stat().st_size
        with path.open("rb") as file:
            self.digest = hashlib.file_digest(file, "sha256").hexdigest()

    def discard(self) -> None:
        """Leave nothing behind, unless the file was moved to its place."""
        self.path.unlink(missing_ok=True)


Part: TypeAlias = Incoming | Present


class Parts:
    """All files of one form; whatever happens, none of them stays where it came in.

    ``files`` has one file, or the index of a sharded checkpoint and its shards.
    """

    def __init__(self) -> None:
        self.files: list[Part] = []
        self.configs: list[Part] = []
        self.fields: dict[str, str] = {}

    def in_order(self) -> list[Part]:
        """The file itself first; a config.json alone is one too."""
        return sorted(self.files or [self.configs.pop()], key=lambda part: not is_index(part.name))

    def __enter__(self) -> Parts:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for part in (*self.files, *self.configs):
            part.discard()


def is_index(name: str) -> bool:
    """Whether a file says where the tensors of a sharded checkpoint are."""
    return kind_of(name) == ".safetensors.index.json"


def too_large(name: str, limit: int, setting: str | None, got: object) -> ProblemError:
    """413: which limit, its value, and the setting that raises it, if one does."""
    rule = f"{name} is over the limit" + (f" {setting}" if setting else "")
    raised = f" (raised by the setting ATTENTION_{setting.upper()})" if setting else ""
    expected = f"at most {limit} bytes{raised}"
    message = f"{rule}: expected {expected}, got {got}"
    item = {"loc": ["file"], "message": message, "expected": expected, "got": str(got)}
    return ProblemError(413, message, [item])
