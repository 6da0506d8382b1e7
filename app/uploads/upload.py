"""One kept upload: what it is, and how its tensors are read again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.errors import UnknownUploadError
from attention import (
    ArrayFile,
    Checkpoint,
    SpecificationError,
    open_tensors,
    say,
)


def unknown(identity: object) -> UnknownUploadError:
    """It never came, or went for room."""
    return UnknownUploadError(
        "no upload has this id; it may have been removed for newer ones: upload the file again",
        expected="the id that POST /api/uploads answered",
        got=say(identity),
    )


@dataclass(frozen=True)
class Upload:
    """``answer`` is what the upload was answered with; ``path`` holds its tensors."""

    answer: dict[str, Any]
    config: dict[str, Any] | None
    path: Path

    @property
    def id(self) -> str:
        """SHA-256 of the uploaded file."""
        return str(self.answer["id"])

    def file(self) -> ArrayFile:
        """The tensors, not read yet."""
        try:
            return open_tensors(self.path)
        except FileNotFoundError:
            raise unknown(self.id) from None

    def checkpoint(self) -> Checkpoint:
        """The tensors as a model's weights, with the config that came along."""
        return Checkpoint(self.file(), self.config)

    def tensor(self, name: str | None) -> Any:
        """One tensor; the name may be left out where there is only one."""
        file = self.file()
        names = list(file.entries)
        if name is None and len(names) == 1:
            name = names[0]
        if name is None or name not in file.entries:
            raise SpecificationError(
                "the upload has no tensor of this name" if name else "name says which tensor",
                loc=("name",),
                expected=", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
                or "a file with tensors",
                got=say(name),
            )
        return file.read(name)
