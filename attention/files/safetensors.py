"""Hugging Face's .safetensors: a JSON header and raw numbers, read one tensor at a time."""

from __future__ import annotations

import json
import math
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from attention.errors import FileError, UnreadableFileError, shape_text
from attention.files.entry import ArrayFile, Entry, Source
from attention.files.npy import check_lengths

MAX_HEADER_BYTES = 2**24
# The format's names, ours, and the bytes of one number.
DTYPES = {
    "F64": ("float64", 8),
    "F32": ("float32", 4),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "I64": ("int64", 8),
    "I32": ("int32", 4),
    "I16": ("int16", 2),
    "I8": ("int8", 1),
    "U8": ("uint8", 1),
    "U16": ("uint16", 2),
    "U32": ("uint32", 4),
    "U64": ("uint64", 8),
    "BOOL": ("bool", 1),
}


class SafetensorsFile(ArrayFile):
    """Tensors by name; bfloat16 is read, float8 and narrower are listed and refused."""

    def __init__(self, source: Source) -> None:
        self._source = source
        header, room = _header(source)
        metadata = header.pop("__metadata__", None)
        self.detected: dict[str, Any] = {"metadata": metadata} if metadata else {}
        self.entries = {name: _entry(name, said, room, source) for name, said in header.items()}
        # The package's own check comes second: it finds everything, but names no tensor.
        try:
            self._file = safe_open(source.path, framework="pt")
        except SafetensorError as error:
            raise UnreadableFileError(
                f"{source.name} is no sound .safetensors file", got=str(error)
            ) from None

    def read(self, name: str) -> Tensor:
        """One tensor, in its stored type."""
        dtype = self.entries[name].dtype
        if dtype not in {ours for ours, _ in DTYPES.values()}:
            raise FileError(
                f"{name} is stored in a type that is not read",
                expected=", ".join(ours for ours, _ in DTYPES.values()),
                got=dtype,
            )
        tensor: Tensor = self._file.get_tensor(name)
        return tensor


def _header(source: Source) -> tuple[dict[str, Any], int]:
    """The header, and how many bytes of numbers follow it."""
    size = source.size()
    with source.path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, MAX_HEADER_BYTES):
            raise UnreadableFileError(
                f"{source.name} is no .safetensors file, or is cut short in its header",
                expected="8 bytes with the header's length, then the header",
                got=f"a header of {length} bytes in a file of {size}",
            )
        text = file.read(length)
    try:
        header = json.loads(text, object_pairs_hook=_unique)
        if not isinstance(header, dict):
            raise ValueError("it is not an object")
        return header, size - 8 - length
    except (ValueError, RecursionError) as error:
        raise UnreadableFileError(
            f"{source.name} has a header that is not JSON", got=str(error)[:120]
        ) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _entry(name: str, said: Any, room: int, source: Source) -> Entry:
    try:
        kind, shape = str(said["dtype"]), tuple(said["shape"])
        start, end = said["data_offsets"]
        if not all(type(n) is int and n >= 0 for n in (*shape, start, end)):
            raise ValueError
    except (TypeError, KeyError, ValueError):
        raise UnreadableFileError(
            f"{source.name}: the header's entry for {name!r} is not complete",
            expected="dtype, shape and data_offsets",
        ) from None
    if end > room:
        raise UnreadableFileError(
            f"{source.name} is cut short: {name!r} does not fit in",
            expected=f"at least {end} bytes of numbers",
            got=f"{room} bytes",
        )
    check_lengths(shape, f"{source.name}, {name!r},")
    dtype, width = DTYPES.get(kind, (kind.lower().replace("f8", "float8"), 0))
    if width and end - start != math.prod(shape) * width:
        raise UnreadableFileError(
            f"{source.name}: the header lies about {name!r}",
            expected=f"{math.prod(shape) * width} bytes for {dtype} of shape {shape_text(shape)}",
            got=f"{end - start} bytes",
        )
    return Entry(name, dtype, shape)
