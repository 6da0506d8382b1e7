"""Recorded calls: kept on disk, read back one at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, overload

from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from attention.errors import SpecificationError
from attention.forward import attend
from attention.result import Result

KEY = "attention_calls"


@dataclass(frozen=True)
class Call:
    """One call of an attention function; its tensors are read from ``file`` when asked for.

    ``options``: causal, scale (None: the default), dropout_p, enable_gqa, and kv_repeated, how
    many times the model itself had repeated each KV head (recorded once).
    """

    index: int
    module: str
    function: str
    options: dict[str, Any]
    conventions: list[str]
    file: str

    def tensor(self, name: str) -> Tensor:
        """``q``, ``k``, ``v`` or ``mask.0`` … as recorded."""
        with safe_open(self.file, framework="pt") as tensors:
            found: Tensor = tensors.get_tensor(f"call.{self.index}.{name}")
            return found

    @property
    def specification(self) -> dict[str, Any]:
        """The fields that make `attend` compute this very call."""
        spec: dict[str, Any] = {name: self.tensor(name) for name in ("q", "k", "v")}
        masks: list[dict[str, Any]] = [
            {"kind": "matrix", "values": self.tensor(f"mask.{i}"), "convention": convention}
            for i, convention in enumerate(self.conventions)
        ]
        if self.options["causal"]:
            masks.append({"kind": "causal", "alignment": "top_left"})
        dtype = str(spec["q"].dtype).removeprefix("torch.")
        return {**spec, "masks": masks, "scale": self.options["scale"], "dtype": dtype}

    def attend(self, **changes: Any) -> Result:
        """Every stage of the call; ``changes`` replace fields of its specification."""
        return attend(**{**self.specification, **changes})


class Calls(Sequence[Call]):
    """The calls of a run in their order, each in a file of ``folder``.

    ``owner`` is what removes the folder when the last reference to the calls is gone.
    """

    def __init__(self, folder: Path, owner: object = None) -> None:
        self._folder, self._owner = folder, owner
        self._calls: list[Call] = []

    @classmethod
    def load(cls, path: str | Path) -> Calls:
        """A run that `save` wrote."""
        calls = cls(Path(path).parent)
        with safe_open(str(path), framework="pt") as tensors:
            metadata = tensors.metadata() or {}
        if KEY not in metadata:
            raise SpecificationError(
                "a captured run says so in its header", got=f"{path} without {KEY}"
            )
        calls._calls = [Call(**entry, file=str(path)) for entry in json.loads(metadata[KEY])]
        return calls

    def record(
        self, module: str, function: str, options: dict[str, Any], conventions: list[str],
        tensors: dict[str, Tensor],
    ) -> None:  # fmt: skip
        """Write one call to disk and remember where."""
        index = len(self._calls)
        file = self._folder / f"{index:06}.safetensors"
        save_file(
            {f"call.{index}.{name}": tensor.detach().cpu().contiguous().clone()
             for name, tensor in tensors.items()},
            file,
        )  # fmt: skip
        self._calls.append(Call(index, module, function, options, conventions, str(file)))

    def save(self, path: str | Path) -> None:
        """All calls in one safetensors file, which the visualiser and `load` open."""
        tensors, entries = {}, []
        for call in self._calls:
            entries.append({k: v for k, v in asdict(call).items() if k != "file"})
            names = ["q", "k", "v", *(f"mask.{i}" for i in range(len(call.conventions)))]
            tensors.update({f"call.{call.index}.{name}": call.tensor(name) for name in names})
        save_file(tensors, path, metadata={KEY: json.dumps(entries)})

    @overload
    def __getitem__(self, index: int) -> Call: ...
    @overload
    def __getitem__(self, index: slice) -> list[Call]: ...
    def __getitem__(self, index: int | slice) -> Call | list[Call]:
        return self._calls[index]

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls)

    def __repr__(self) -> str:
        lines = [f"{c.index}: {c.module or '(no module)'} {c.function}" for c in self._calls]
        return "Calls(\n  " + "\n  ".join(lines) + "\n)" if lines else "Calls()"
