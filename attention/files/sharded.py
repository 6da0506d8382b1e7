"""A checkpoint in several .safetensors files, by the index that says which tensor is where."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attention.arrays import Array, say
from attention.errors import FileError, UnreadableFileError
from attention.files.entry import ArrayFile, Entry, Source
from attention.files.json_file import read_json_file
from attention.files.safetensors import SafetensorsFile

MAX_SHARDS = 256


class ShardedFile(ArrayFile):
    """``{"weight_map": {tensor: file}}``, the files beside it or those of ``source.beside``."""

    def __init__(self, source: Source) -> None:
        places = _weight_map(source)
        names = sorted(set(places.values()))
        self._shards = {name: _shard(source, name) for name in names}
        self._places = places
        self.detected: dict[str, Any] = {"shards": names}
        self.entries: Mapping[str, Entry] = {
            tensor: self._entry(source, tensor, shard) for tensor, shard in places.items()
        }

    def read(self, name: str) -> Array:
        """One tensor, from the file that holds it."""
        return self._shards[self._places[name]].read(name)

    def _entry(self, source: Source, tensor: str, shard: str) -> Entry:
        entry = self._shards[shard].entries.get(tensor)
        if entry is None:
            raise UnreadableFileError(
                f"{source.name}: {tensor!r} is not where the index says", expected=shard
            )
        return entry


def _weight_map(source: Source) -> dict[str, str]:
    value = read_json_file(source)
    found = value.get("weight_map") if isinstance(value, dict) else None
    if not isinstance(found, dict) or not found:
        raise FileError(f"{source.name} is no index of a checkpoint", expected="a weight_map")
    for tensor, shard in found.items():
        # A plain name: the index of somebody else may not choose what is read from our disk.
        if not isinstance(shard, str) or not shard or Path(shard).name != shard or "\\" in shard:
            raise FileError(
                f"{source.name}: the file of {tensor!r} climbs out of the folder",
                expected="a plain name",
                got=say(shard),
            )
    if len(set(found.values())) > MAX_SHARDS:
        raise FileError(f"{source.name} names too many files", expected=f"up to {MAX_SHARDS}")
    return found


def _shard(source: Source, name: str) -> SafetensorsFile:
    path = source.path.parent / name if source.beside is None else source.beside.get(name)
    if path is None or not path.is_file():
        raise FileError(
            f"{source.name} needs {name!r}, which is not beside it",
            expected="the index and every file that it names",
        )
    return SafetensorsFile(Source(path, name, source.max_bytes))
