"""llama.cpp's .gguf: metadata, then tensors in full or quantised types, read one by one."""

from __future__ import annotations

import math
import mmap
import struct
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attention.arrays import Array
from attention.errors import FileError, UnreadableFileError
from attention.files.entry import ArrayFile, Entry, Source
from attention.files.npy import check_lengths

MAGIC, VERSIONS, ALIGNMENT = b"GGUF", (2, 3), 32
MAX_COUNT = 2**20
# Metadata types by their numbers: how struct reads one.
NUMBERS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
TEXT, LIST = 8, 9
# Tensor types that need no other package.
PLAIN = {0: ("float32", 4), 1: ("float16", 2), 30: ("bfloat16", 2), 28: ("float64", 8)}
EXTRA = "the package gguf: pip install 'attention-visualiser[gguf]'"


class _Cursor:
    """Reads forward; a length that leaves the file is refused where it stands."""

    def __init__(self, data: mmap.mmap, name: str) -> None:
        self.data, self.name, self.at = data, name, 0

    def take(self, count: int) -> int:
        """Step over ``count`` bytes and say where they begin."""
        start, self.at = self.at, self.at + count
        if self.at > len(self.data):
            raise UnreadableFileError(
                f"{self.name} is cut short in its header",
                expected=f"at least {self.at} bytes",
                got=f"{len(self.data)} bytes",
            )
        return start

    def number(self, code: str) -> Any:
        """One number, little-endian."""
        return struct.unpack_from(f"<{code}", self.data, self.take(struct.calcsize(code)))[0]

    def count(self, what: str) -> int:
        """A stated count of things that take at least a byte each."""
        found = int(self.number("Q"))
        if found > min(MAX_COUNT, len(self.data)):
            raise UnreadableFileError(
                f"{self.name} states too many {what}", expected=f"up to {MAX_COUNT}", got=found
            )
        return found

    def text(self) -> str:
        """A string with its length in front."""
        size = int(self.number("Q"))
        start = self.take(size)
        return self.data[start : start + size].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """One metadata value; lists are stepped over and read as None."""
        if kind == TEXT:
            return self.text()
        if kind in NUMBERS:
            return self.number(NUMBERS[kind])
        if kind != LIST:
            raise UnreadableFileError(f"{self.name} has metadata of an unknown type", got=kind)
        inner, size = self.number("I"), self.count("values in a list")
        if inner in NUMBERS:
            self.take(size * struct.calcsize(NUMBERS[inner]))
        elif inner == TEXT:
            for _ in range(size):
                self.take(int(self.number("Q")))
        else:
            raise UnreadableFileError(f"{self.name} has a list of an unknown type", got=inner)
        return None


class GgufFile(ArrayFile):
    """Tensors [out][in]; full types as they are, quantised ones unpacked to float32."""

    def __init__(self, source: Source) -> None:
        self._name = source.name
        if source.size() < 24:
            raise UnreadableFileError(f"{source.name} is no .gguf file", got="too few bytes")
        with source.path.open("rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        cursor = _Cursor(self._data, source.name)
        start = cursor.take(4)
        version = cursor.number("I")
        if self._data[start:4] != MAGIC or version not in VERSIONS:
            raise UnreadableFileError(
                f"{source.name} is no .gguf file", expected="GGUF, version 2 or 3"
            )
        tensors, values = cursor.count("tensors"), cursor.count("metadata values")
        self.metadata = {cursor.text(): cursor.value(cursor.number("I")) for _ in range(values)}
        self._places = dict(self._tensor(cursor) for _ in range(tensors))
        self._begin = self._aligned(cursor.at)
        self.entries = {
            name: Entry(name, type_name(kind), shape)
            for name, (kind, shape, _) in self._places.items()
        }
        for name in self._places:
            self._bytes(name)
        self.config = config_of(self.metadata, "rope_freqs.weight" in self.entries)
        self.detected: dict[str, Any] = {"architecture": self.metadata.get("general.architecture")}

    def read(self, name: str) -> Array:
        """One tensor."""
        kind, shape, _ = self._places[name]
        start, size = self._bytes(name)
        raw = np.frombuffer(self._data, np.uint8, size, start)
        if kind in PLAIN:
            return plain(raw, PLAIN[kind][0]).reshape(shape)
        _, quants = _package(name)
        try:
            rows = raw.reshape(*shape[:-1], -1)
            found: np.ndarray[Any, Any] = quants.dequantize(rows, _type(kind))
        except (NotImplementedError, ValueError):  # the latter: a type that nobody knows
            raise FileError(
                f"{name} is stored in a type that is not unpacked", got=type_name(kind)
            ) from None
        return found.reshape(shape)

    def _tensor(self, cursor: _Cursor) -> tuple[str, tuple[int, tuple[int, ...], int]]:
        name = cursor.text()
        axes = cursor.number("I")
        if axes > 4:
            raise UnreadableFileError(f"{self._name}: {name!r} has too many axes", got=axes)
        # The fastest axis comes first here, and last everywhere else.
        shape = tuple(int(cursor.number("Q")) for _ in range(axes))[::-1]
        check_lengths(shape, f"{self._name}, {name!r},")
        return name, (int(cursor.number("I")), shape, int(cursor.number("Q")))

    def _aligned(self, at: int) -> int:
        step = self.metadata.get("general.alignment", ALIGNMENT)
        if not isinstance(step, int) or not 0 < step <= 2**16:
            raise UnreadableFileError(f"{self._name} states an odd alignment", got=step)
        return -(-at // step) * step

    def _bytes(self, name: str) -> tuple[int, int]:
        """Where a tensor begins, and how long it is, as far as its type is known."""
        kind, shape, offset = self._places[name]
        size = stored_bytes(kind, shape, f"{self._name}, {name!r}")
        start = self._begin + offset
        if size is not None and start + size > len(self._data):
            raise UnreadableFileError(
                f"{self._name} is cut short: {name!r} does not fit in",
                expected=f"at least {start + size} bytes",
                got=f"{len(self._data)} bytes",
            )
        return start, size or 0


def plain(raw: np.ndarray[Any, Any], dtype: str) -> Tensor:
    """Bytes as numbers of a full type."""
    found = torch.empty(raw.size, dtype=torch.uint8)  # aligned, also where it is empty
    found.numpy()[:] = raw
    return found.view(getattr(torch, dtype))


def stored_bytes(kind: int, shape: tuple[int, ...], place: str) -> int | None:
    """Bytes of a tensor; None for a type that only the optional package knows, without it."""
    count = math.prod(shape)
    if kind in PLAIN:
        return count * PLAIN[kind][1]
    try:
        block, size = _package("")[0].GGML_QUANT_SIZES[_type(kind)]
    except (FileError, KeyError, ValueError):
        return None
    if not shape or shape[-1] % int(block):
        raise UnreadableFileError(
            f"{place}: rows of this type are made of blocks",
            expected=f"a width that {int(block)} divides",
            got=shape[-1] if shape else "no width",
        )
    return count // int(block) * int(size)


def type_name(kind: int) -> str:
    """``float16``, ``q8_0``, or the number of a type that is not known here."""
    if kind in PLAIN:
        return PLAIN[kind][0]
    try:
        return str(_type(kind).name).lower()
    except (FileError, ValueError):
        return f"ggml type {kind}"


def _type(kind: int) -> Any:
    return _package("")[0].GGMLQuantizationType(kind)


def _package(name: str) -> tuple[Any, Any]:
    try:
        import gguf
        from gguf import quants
    except ImportError:
        raise FileError(f"{name} is quantised; unpacking it needs {EXTRA}") from None
    return gguf, quants


def config_of(metadata: dict[str, Any], scaled: bool) -> dict[str, Any] | None:
    """The metadata in the words of a config.json, for the fields that concern attention."""
    architecture = metadata.get("general.architecture")
    if not isinstance(architecture, str):
        return None
    names = {
        "num_attention_heads": "attention.head_count",
        "hidden_size": "embedding_length",
        "head_dim": "attention.key_length",
        "rms_norm_eps": "attention.layer_norm_rms_epsilon",
        "attn_logit_softcapping": "attn_logit_softcapping",
        "rope_theta": "rope.freq_base",
        "rotary_dim": "rope.dimension_count",
    }
    found = {ours: metadata.get(f"{architecture}.{theirs}") for ours, theirs in names.items()}
    said = {name: value for name, value in found.items() if value is not None}
    # Scaled frequencies stand in a tensor of their own, which is not read.
    return {"model_type": f"gguf {architecture}", **said, "scaled_frequencies": scaled}
