"""NumPy's .npz: a zip of .npy members, unpacked only as far as their stated sizes allow."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO, Any

import numpy as np

from attention.errors import AttentionError, FileError, LimitError, UnreadableFileError
from attention.files.entry import ArrayFile, Entry, Source
from attention.files.npy import Header

MAX_MEMBERS = 4096
BLOCK = 2**20
# What reading a damaged archive has been seen to raise.
DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError),
    *(OSError, ValueError, OverflowError, RuntimeError, KeyError),
)
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class NpzFile(ArrayFile):
    """Arrays by the names they were saved under; each is unpacked when it is read."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.detected: dict[str, Any] = {}
        self.entries: dict[str, Entry] = {}
        with self._archive() as archive:
            members = archive.infolist()
            self._refuse_sizes(members)
            for member in members:
                name = self._checked_name(member)
                self.entries[name] = self._verified(archive, member).entry(name)

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """Unpack one member."""
        with self._archive() as archive, archive.open(f"{name}.npy") as file:
            header = Header.read(file, f"{name}.npy")
            numbers = np.frombuffer(bytearray(file.read()), header.dtype)
            return numbers.reshape(header.shape, order="F" if header.fortran else "C")

    @contextmanager
    def _archive(self) -> Iterator[zipfile.ZipFile]:
        try:
            with zipfile.ZipFile(self._source.path) as archive:
                yield archive
        except AttentionError:
            raise
        except DAMAGE as error:
            raise UnreadableFileError(
                f"{self._source.name} is not a whole .npz archive", got=str(error) or "its end"
            ) from None

    def _refuse_sizes(self, members: list[zipfile.ZipInfo]) -> None:
        if len(members) > MAX_MEMBERS:
            raise FileError(
                f"{self._source.name} has too many members",
                expected=f"at most {MAX_MEMBERS}",
                got=len(members),
            )
        total = 0
        for member in members:
            total += member.file_size
            if total > self._source.max_bytes:
                raise _too_large(self._source, member.filename, total)

    def _checked_name(self, member: zipfile.ZipInfo) -> str:
        place = f"{self._source.name}, member {member.filename!r}"
        if climbs(member.filename):
            raise FileError(f"{place}: the name climbs out of the folder", expected="a plain name")
        if member.flag_bits & 1:
            raise FileError(f"{place} is encrypted", expected="members without a password")
        if member.compress_type not in METHODS:
            raise FileError(
                f"{place} is packed in an unknown way",
                expected="stored or deflated, as numpy.savez does",
                got=f"method {member.compress_type}",
            )
        if not member.filename.endswith(".npy"):
            raise FileError(f"{place} is no .npy array", expected="only .npy members")
        name = member.filename.removesuffix(".npy")
        if name in self.entries:
            raise FileError(f"{place} stands twice", expected="each name once")
        return name

    def _verified(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Header:
        """The header, after the member was unpacked once to its end without keeping it."""
        place = f"{self._source.name}, member {member.filename!r}"
        with archive.open(member) as file:
            header = Header.read(file, place)
            size = header.offset + _drained(file)
        if size != member.file_size:
            raise UnreadableFileError(
                f"{place}: its size is not the one it states",
                expected=f"{member.file_size} bytes",
                got=f"{size} bytes",
            )
        header.check_size(size, place)
        return header


def _drained(file: IO[bytes]) -> int:
    """Bytes to the end; zipfile stops at the stated size and compares the checksum there."""
    size = 0
    while block := file.read(BLOCK):
        size += len(block)
    return size


def climbs(name: str) -> bool:
    """Whether a name, taken as a path anywhere, would leave its folder."""
    for flavour in (PurePosixPath, PureWindowsPath):
        path = flavour(name)
        if path.is_absolute() or path.drive or path.root or ".." in path.parts:
            return True
    return "\0" in name


def _too_large(source: Source, member: str, total: int) -> LimitError:
    return LimitError(
        f"{source.name} is too large unpacked, at member {member!r}",
        limit="max_unpacked_bytes",
        expected=f"at most {source.max_bytes} bytes",
        got=total,
    )
