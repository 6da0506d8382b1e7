"""Readers of files with tensors, one module a format; each file is checked when it is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from attention.errors import FileError
from attention.files.dialect import OPTIONS
from attention.files.entry import ArrayFile, Entry, Source
from attention.files.gguf import GgufFile
from attention.files.json_file import JsonFile
from attention.files.npy import NpyFile
from attention.files.npz import NpzFile, climbs
from attention.files.safetensors import SafetensorsFile
from attention.files.sharded import ShardedFile
from attention.files.text import TextFile

FORMATS: dict[str, Callable[[Source], ArrayFile]] = {
    ".npz": NpzFile,
    ".npy": NpyFile,
    ".safetensors": SafetensorsFile,
    ".csv": TextFile,
    ".tsv": TextFile,
    ".safetensors.index.json": ShardedFile,
    ".json": JsonFile,
    ".gguf": GgufFile,
}
TABLES = (".csv", ".tsv")

__all__ = [
    "FORMATS",
    "OPTIONS",
    "ArrayFile",
    "Entry",
    "kind_of",
    "open_tensors",
]


def kind_of(name: str) -> str | None:
    """The known ending of a file's name, or nothing."""
    last = Path(name.lower()).name
    return next((end for end in FORMATS if last.endswith(end) and last != end), None)


def open_tensors(
    path: str | Path,
    name: str | None = None,
    *,
    max_bytes: int = 2**30,
    options: Mapping[str, str] | None = None,
    beside: Mapping[str, Path] | None = None,
) -> ArrayFile:
    """Open a .npz, .npy, .safetensors, .csv, .tsv or .json file; ``name`` if it has another one.

    Nothing is unpickled. ``options`` (delimiter, decimal, header, labels) override what is
    detected in text tables. A .safetensors.index.json opens the files that it names, in its
    folder or as ``beside`` says. Errors: `FileError` and its kin, with the place in the file.
    """
    name = name or Path(path).name
    if climbs(name):
        raise FileError(
            "the file's name climbs out of its folder",
            loc=("file",),
            expected="a plain name",
            got=name,
        )
    kind = kind_of(name)
    if kind is None:
        raise FileError(
            f"{name} is of a kind that is not read", expected=", ".join(FORMATS), got=say_kind(name)
        )
    if options and kind not in TABLES:
        raise FileError(
            f"{sorted(options)[0]} is said of text tables alone",
            loc=(sorted(options)[0],),
            expected="a .csv or .tsv file",
            got=name,
        )
    return FORMATS[kind](Source(Path(path), name, max_bytes, options or {}, beside))


def say_kind(name: str) -> str:
    """The ending of a name, for a refusal."""
    return Path(name).suffix or "no ending"
