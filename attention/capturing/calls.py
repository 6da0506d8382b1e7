"""Recorded calls: kept on disk, read back one at a time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, overload

from safetensors.torch import save_file
from torch import Tensor

from attention.capturing import header
from attention.capturing.call import Call
from attention.capturing.showing import Shown, show
from attention.errors import SpecificationError
from attention.files import ArrayFile
from attention.files.entry import Source
from attention.files.safetensors import SafetensorsFile


class Calls(Sequence[Call]):
    """The calls of a run in their order, each in a file of ``folder``.

    ``owner`` is what removes the folder when the last reference to the calls, or to one of them,
    is gone.
    """

    def __init__(self, folder: Path, owner: object = None) -> None:
        self._folder, self._owner = folder, owner
        self._calls: list[Call] = []

    @classmethod
    def load(cls, path: str | Path) -> Calls:
        """A run that `save` wrote."""
        file = SafetensorsFile(Source(Path(path), Path(path).name))
        calls = cls.of(file, Path(path))
        if calls is None:
            raise SpecificationError(
                "a captured run says so in its header", got=f"{path} without {header.KEY}"
            )
        return calls

    @classmethod
    def of(cls, file: ArrayFile, path: Path) -> Calls | None:
        """The run in an open file, which lies at ``path``; None where it holds other tensors."""
        said = file.detected.get("metadata", {})
        if header.KEY not in said:
            return None
        calls = cls(path.parent)
        calls._calls = header.read(said, file.entries, path)
        return calls

    def record(
        self, module: str, function: str, options: dict[str, Any], conventions: list[str],
        tensors: dict[str, Tensor],
    ) -> Call:  # fmt: skip
        """Write one call to disk and remember where."""
        index = len(self._calls)
        file = self._folder / f"{index:06}.safetensors"
        call = Call(
            index=index, module=module, function=function, options=options,
            conventions=conventions, file=str(file),
            dtype=str(tensors["q"].dtype).removeprefix("torch."),
            shapes={name: tuple(tensors[name].shape) for name in ("q", "k", "v")},
            has_hidden_states="hidden_states" in tensors, has_sinks="sinks" in tensors,
            owner=self._owner,
        )  # fmt: skip
        save_file(
            {call.stored(name): tensor.detach().cpu().contiguous().clone()
             for name, tensor in tensors.items()},
            file,
        )  # fmt: skip
        self._calls.append(call)
        return call

    def label(self, rows: list[list[str]]) -> None:
        """Name the tokens [B][T] of each call whose queries are these tokens."""
        for i, call in enumerate(self._calls):
            batch, _, queries, _ = call.shapes["q"]
            if (batch, queries) == (len(rows), len(rows[0])):
                self._calls[i] = replace(call, tokens=rows[0] if batch == 1 else rows)

    def save(self, path: str | Path) -> None:
        """All calls in one safetensors file, which the visualiser and `load` open."""
        tensors = {
            call.stored(name): call.tensor(name) for call in self._calls for name in call.names
        }
        save_file(tensors, path, metadata=header.written(self._calls))

    def show(self, *, browser: bool | None = None) -> Shown:
        """Open the visualiser's page on the run; it is served while this Python runs.

        The address is printed, and opened in a ``browser`` outside notebooks, where the answer
        shows itself. A script waits with ``calls.show().wait()``. Errors: `AttentionError` where
        the server is not installed or does not start.
        """
        with tempfile.TemporaryDirectory(prefix="attention-") as folder:
            run = Path(folder) / "run.safetensors"
            self.save(run)
            return show(run, browser)

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
