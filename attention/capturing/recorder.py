"""The recorder: a context in which every attention call is written down."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, TypeAlias

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attention.capturing.calls import Calls
from attention.capturing.paths import ModulePaths
from attention.capturing.reading import READERS

Wanted: TypeAlias = Callable[[int, str], bool]
"""Whether to keep a call: how many came before it, and its module's path."""


@contextmanager
def capture(
    model: nn.Module | None = None,
    *,
    layers: Sequence[int | str] | None = None,
    folder: str | Path | None = None,
) -> Iterator[Calls]:
    """Record ``scaled_dot_product_attention`` and ``nn.MultiheadAttention`` while it is open.

    ``with capture(model) as calls: model(**inputs)``. The model runs unchanged; each call's q,
    k, v and masks go to disk as it happens (``folder``, else a temporary one that lives as long
    as the returned calls). ``layers`` keeps only modules whose path has that number or matches
    that pattern. Without ``model`` the attention of every module is recorded.
    """
    calls = calls_in(folder)
    paths = ModulePaths(model)
    with paths.followed(), Recorder(calls, paths, lambda _, path: _in_layers(path, layers)):
        yield calls


def calls_in(folder: str | Path | None) -> Calls:
    """No calls yet; they will lie in ``folder``, else in a temporary one that goes with them."""
    if folder is None:
        temporary = tempfile.TemporaryDirectory(prefix="attention-")
        return Calls(Path(temporary.name), owner=temporary)
    Path(folder).mkdir(parents=True, exist_ok=True)
    return Calls(Path(folder))


class Recorder(TorchFunctionMode):
    """Reads the arguments of attention functions on their way to PyTorch.

    ``seen`` is told how many calls of the model there were so far, kept or not.
    """

    def __init__(
        self,
        calls: Calls,
        paths: ModulePaths,
        wanted: Wanted,
        seen: Callable[[int], None] | None = None,
    ) -> None:
        super().__init__()
        self._calls, self._paths, self._wanted, self._seen = calls, paths, wanted, seen
        self._count = 0

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        path = self._paths.current if func in READERS else None
        if path is None:
            return func(*args, **kwargs)
        if self._wanted(self._count, path):
            self._record(func, path, args, kwargs)
        self._count += 1
        answer = func(*args, **kwargs)
        if self._seen is not None:
            self._seen(self._count)
        return answer

    def _record(
        self, func: Callable[..., Any], path: str, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        reading = READERS[func](*args, **kwargs)
        tensors: dict[str, Tensor] = {"q": reading.q, "k": reading.k, "v": reading.v}
        tensors |= {f"mask.{i}": mask for i, (mask, _) in enumerate(reading.masks)}
        hidden = self._paths.hidden_states
        if hidden is not None:
            tensors["hidden_states"] = hidden
        conventions = [convention for _, convention in reading.masks]
        self._calls.record(path, func.__name__, reading.options, conventions, tensors)


def _in_layers(path: str, layers: Sequence[int | str] | None) -> bool:
    if layers is None:
        return True
    parts = path.split(".")
    return any(
        str(layer) in parts if isinstance(layer, int) else fnmatch(path, layer) for layer in layers
    )
