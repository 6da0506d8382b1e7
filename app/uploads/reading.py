"""From a file that came in to one that is kept: checked, described, made quick to read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from app.uploads.incoming import Part, too_large
from attention import (
    ArrayFile,
    Call,
    Calls,
    Checkpoint,
    Entry,
    FileError,
    kind_of,
    open_tensors,
    say,
)

# Mapped into memory as they are; the others are unpacked or parsed once and kept as safetensors.
AS_THEY_ARE = (".npy", ".safetensors")
MAX_LISTED = 10_000


def opened(
    part: Part, max_bytes: int, options: Mapping[str, str], shards: Iterable[Part] = ()
) -> ArrayFile:
    """Check a file under the name that its owner gave it, with the shards that it names."""
    beside = {shown(shard.name): shard.path for shard in shards}
    return open_tensors(part.path, part.name, max_bytes=max_bytes, options=options, beside=beside)


def config_of(part: Part) -> dict[str, Any]:
    """The parsed config.json that came along."""
    found = open_tensors(part.path, part.name, max_bytes=part.size)
    if found.config is None:
        raise FileError(
            f"{part.name} is no model's config.json",
            loc=("config",),
            expected="an object with model_type or the number of heads",
            got=say(sorted(found.entries)),
        )
    return dict(found.config)


def kept(part: Part, file: ArrayFile, max_bytes: int) -> Path:
    """The file to keep: the one that came, or its tensors in a form that can be mapped."""
    kind = kind_of(part.name)
    if kind in AS_THEY_ARE:
        return part.path
    path = part.path.with_suffix(".converted")
    entries = listed(part, file)
    if kind == ".gguf":
        size = sum(4 * math.prod(entry.shape) for entry in entries)
        if size > max_bytes:
            raise too_large("its attention, unpacked,", max_bytes, "max_unpacked_bytes", size)
    save_file({entry.name: _plain(file.read(entry.name)) for entry in entries}, path)
    return path


def described(part: Part, file: ArrayFile, config: Mapping[str, Any] | None) -> dict[str, Any]:
    """The answer to an upload."""
    calls = Calls.of(file, part.path)
    detected = {"kind": (kind_of(part.name) or "").removeprefix("."), **file.detected}
    if calls is not None:
        # What it says of its calls is answered in `calls`.
        detected.pop("metadata")
    if config is not None:
        said = config.get("model_type")
        detected["config"] = said if isinstance(said, str) else True
    return {
        "id": part.digest,
        "name": shown(part.name),
        "size": part.size,
        "tensors": [
            {"name": entry.name, "dtype": entry.dtype, "shape": list(entry.shape)}
            for entry in listed(part, file)[:MAX_LISTED]
        ],
        "modules": Checkpoint(file, config).listing(),
        "calls": [called(call, part.digest) for call in (calls or [])[:MAX_LISTED]],
        "detected": detected,
    }


def called(call: Call, upload: str) -> dict[str, Any]:
    """One call of a captured run, and the specification that computes it again."""
    batch, _, queries, _ = call.shapes["q"]
    return {
        "index": call.index,
        "module": call.module,
        "function": call.function,
        "num_heads": call.num_heads,
        "num_kv_heads": call.num_kv_heads,
        "batch": batch,
        "queries": queries,
        "keys": call.shapes["k"][2],
        "hidden_states": call.stored("hidden_states") if call.has_hidden_states else None,
        "spec": call.reference(upload),
    }


def listed(part: Part, file: ArrayFile) -> list[Entry]:
    """What can be referred to: of a .gguf file only its attention, unpacked."""
    if kind_of(part.name) != ".gguf":
        return list(file.entries.values())
    return [file.entries[name] for name in Checkpoint(file).tensor_names()]


def shown(name: str) -> str:
    """The last part of a name."""
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def _plain(array: Any) -> Tensor:
    if isinstance(array, Tensor):
        return array.contiguous()
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    if native.dtype.itemsize > 8:
        native = native.astype(np.float64)
    return torch.from_numpy(np.ascontiguousarray(native).reshape(native.shape).copy())
