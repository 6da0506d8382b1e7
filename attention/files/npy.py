"""NumPy's .npy: a header and raw numbers. Python objects are never read."""

from __future__ import annotations

import math
import struct
import tokenize
import warnings
from dataclasses import dataclass
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format

from attention.errors import FileError, UnreadableFileError, shape_text
from attention.files.entry import ArrayFile, Entry, Source

ONLY_NAME = "array"
# 3.0 differs from 2.0 in the encoding of field names alone, and named fields are refused anyway.
READERS = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
    (3, 0): npy_format.read_array_header_2_0,
}


# What parsing a damaged header has been seen to raise.
DAMAGE = (
    *(ValueError, KeyError, TypeError, SyntaxError, tokenize.TokenError, struct.error),
    *(OverflowError, RecursionError, MemoryError, AttributeError),
)


@dataclass(frozen=True)
class Header:
    """Type, shape and order of the numbers that begin at byte ``offset``."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    offset: int

    @classmethod
    def read(cls, file: IO[bytes], name: str) -> Header:
        """The header at the file's position 0; anything but plain numbers is refused."""
        try:
            reader = READERS[npy_format.read_magic(file)]
            with warnings.catch_warnings(action="ignore", category=UserWarning):
                shape, fortran, dtype = reader(file)  # one that Python 2 wrote reads as well
        except DAMAGE as error:
            raise UnreadableFileError(
                f"{name} has no .npy header that can be read",
                expected="the magic bytes, a version from 1.0 to 3.0 and a header",
                got=str(error).splitlines()[0][:120] if str(error) else "something else",
            ) from None
        refuse_other_types(dtype, name)
        check_lengths(shape, name)
        return cls(dtype, tuple(map(int, shape)), bool(fortran), file.tell())

    def check_size(self, size: int, name: str) -> None:
        """Refuse a file of ``size`` bytes that holds fewer or more numbers than the header says."""
        expected = self.offset + math.prod(self.shape) * self.dtype.itemsize
        if size != expected:
            raise UnreadableFileError(
                f"{name} {'is cut short' if size < expected else 'is longer than its header says'}",
                expected=f"{expected} bytes for {self.dtype.name} of shape"
                f" {shape_text(self.shape)}",
                got=f"{size} bytes",
            )

    def entry(self, name: str) -> Entry:
        """The tensor as it is listed."""
        return Entry(name, self.dtype.name, self.shape)


def refuse_other_types(dtype: np.dtype[Any], name: str) -> None:
    """Only plain real numbers and booleans: no objects, text, dates, records or complex."""
    if dtype.hasobject:
        raise FileError(
            f"{name} holds Python objects (dtype object), not numbers, and is not unpickled",
            expected="a plain array of numbers, saved from rows of equal length",
            got="dtype object",
        )
    if dtype.kind not in "fiub" or dtype.shape:
        hint = "; save bfloat16 in a .safetensors file" if dtype.kind == "V" else ""
        raise FileError(
            f"{name} does not hold plain numbers",
            expected="floats, integers or booleans",
            got=f"dtype {dtype}{hint}",
        )


def check_lengths(shape: tuple[int, ...], name: str) -> None:
    """Lengths that an array in memory could have."""
    if len(shape) > 32 or not all(0 <= length < 2**48 for length in shape):
        raise UnreadableFileError(
            f"{name} states a shape that no array has", expected="up to 32 lengths from 0"
        )


class NpyFile(ArrayFile):
    """One array, mapped into memory: any byte order, C or Fortran order."""

    def __init__(self, source: Source) -> None:
        with source.path.open("rb") as file:
            self._header = Header.read(file, source.name)
        self._header.check_size(source.size(), source.name)
        self._numbers = _mapped(source, self._header)
        self.entries = {ONLY_NAME: self._header.entry(ONLY_NAME)}
        self.detected: dict[str, Any] = {
            "byte_order": byte_order(self._header.dtype),
            "order": "fortran" if self._header.fortran else "c",
        }

    def read(self, name: str) -> np.ndarray[Any, Any]:
        """The array, read only where it is used."""
        return self._numbers


def _mapped(source: Source, header: Header) -> np.ndarray[Any, Any]:
    count = math.prod(header.shape)
    if not count:
        return np.empty(header.shape, header.dtype)
    # "c" for torch, which wants memory that could be written; the file never is.
    numbers: np.ndarray[Any, Any] = np.memmap(
        source.path, header.dtype, "c", header.offset, (count,)
    )
    return numbers.reshape(header.shape, order="F" if header.fortran else "C")


def byte_order(dtype: np.dtype[Any]) -> str:
    """In words."""
    little = dtype.newbyteorder("<") == dtype
    return "little" if little else "big"
