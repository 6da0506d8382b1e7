"""The recorder: a context in which every attention call is written down."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeAlias

from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attention.capturing.call import Call
from attention.capturing.calls import Calls
from attention.capturing.compiled import Uncompiled
from attention.capturing.eager import EagerFunctions
from attention.capturing.paths import ModulePaths
from attention.capturing.reading import READERS, Reading

NOTHING = (
    "no attention was recorded: the model calls neither scaled_dot_product_attention nor"
    " nn.MultiheadAttention nor transformers' eager attention, or no layer is one of `layers`"
)
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

    ``with capture(model) as calls: model(**inputs)``. The model runs unchanged, compiled parts of
    it as they were written; each call's q, k, v and masks go to disk as it happens (``folder``,
    else a temporary one that lives as long as the returned calls). The transformers library's own
    eager attention, the default of models with a softcap or sinks, is recorded too. ``layers``
    keeps only modules whose path has that number or matches that pattern. Without ``model`` the
    attention of every module is recorded.
    """
    calls = calls_in(folder)
    paths = ModulePaths(model)
    recorder = Recorder(calls, paths, lambda _, path: _in_layers(path, layers))
    with paths.followed(), recorder:
        yield calls
    if not calls:
        warnings.warn(NOTHING, stacklevel=3)


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
        self._watchers = (EagerFunctions(self.around), Uncompiled())

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        run = partial(func, *args, **(kwargs or {}))
        if func not in READERS:
            return run()
        return self.around(partial(READERS[func], *args, **(kwargs or {})), func.__name__, run)

    def around(
        self,
        read: Callable[[], Reading],
        name: str,
        run: Callable[[], Any],
        check: Callable[[Call, Any], None] | None = None,
    ) -> Any:
        """Record a call, run it, and let ``check`` compare the two."""
        path = self._paths.current
        if path is None:
            return run()
        call = self._record(read(), name, path) if self._wanted(self._count, path) else None
        self._count += 1
        answer = run()
        if call is not None and check is not None:
            check(call, answer)
        if self._seen is not None:
            self._seen(self._count)
        return answer

    def __enter__(self) -> Self:
        self._watch()
        self._paths.entered = self._watch
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)  # type: ignore[no-untyped-call]
        for watcher in self._watchers:
            watcher.close()

    def _watch(self) -> None:
        """Again with every module, for a script may import a library after it began."""
        for watcher in self._watchers:
            watcher.watch()

    def _record(self, reading: Reading, function: str, path: str) -> Call:
        tensors: dict[str, Tensor] = {"q": reading.q, "k": reading.k, "v": reading.v}
        tensors |= {f"mask.{i}": mask for i, (mask, _) in enumerate(reading.masks)}
        hidden = self._paths.hidden_states
        if hidden is not None:
            tensors["hidden_states"] = hidden
        if reading.sinks is not None:
            tensors["sinks"] = reading.sinks
        conventions = [convention for _, convention in reading.masks]
        return self._calls.record(path, function, reading.options, conventions, tensors)


def _in_layers(path: str, layers: Sequence[int | str] | None) -> bool:
    if layers is None:
        return True
    parts = path.split(".")
    return any(
        str(layer) in parts if isinstance(layer, int) else fnmatch(path, layer) for layer in layers
    )
