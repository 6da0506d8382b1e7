"""The recorder: a context in which every attention call is written down."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.overrides import TorchFunctionMode

from attention.capturing.calls import Calls
from attention.capturing.reading import READERS


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
    if folder is None:
        temporary = tempfile.TemporaryDirectory(prefix="attention-")
        calls = Calls(Path(temporary.name), owner=temporary)
    else:
        Path(folder).mkdir(parents=True, exist_ok=True)
        calls = Calls(Path(folder))
    paths = ModulePaths(model)
    with paths.followed(), Recorder(calls, paths, layers):
        yield calls


class ModulePaths:
    """The path of the module that is running, such as ``model.layers.3.self_attn``."""

    def __init__(self, model: nn.Module | None) -> None:
        self._names: dict[int, str] = {}
        self._known_only = model is not None
        self._running: list[nn.Module] = []
        if model is not None:
            self._learn(model)

    @property
    def current(self) -> str | None:
        """The running module's path, None outside the model."""
        known = [self._names[id(m)] for m in self._running if id(m) in self._names]
        if not known:
            return None if self._known_only else ""
        return known[-1]

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Keep track of which module runs."""
        hooks = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _learn(self, root: nn.Module) -> None:
        self._names.update({id(module): name for name, module in root.named_modules()})

    def _enter(self, module: nn.Module, args: Any) -> None:
        if not self._running and not self._known_only:
            self._learn(module)
        self._running.append(module)

    def _leave(self, module: nn.Module, args: Any, output: Any) -> None:
        while self._running and self._running.pop() is not module:
            pass


class Recorder(TorchFunctionMode):
    """Reads the arguments of attention functions on their way to PyTorch."""

    def __init__(
        self, calls: Calls, paths: ModulePaths, layers: Sequence[int | str] | None
    ) -> None:
        super().__init__()
        self._calls, self._paths, self._layers = calls, paths, layers

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        kwargs = kwargs or {}
        reader = READERS.get(func)
        path = self._paths.current
        if reader is not None and path is not None and self._wanted(path):
            reading = reader(*args, **kwargs)
            tensors: dict[str, Tensor] = {"q": reading.q, "k": reading.k, "v": reading.v}
            tensors |= {f"mask.{i}": mask for i, (mask, _) in enumerate(reading.masks)}
            conventions = [convention for _, convention in reading.masks]
            self._calls.record(path, func.__name__, reading.options, conventions, tensors)
        return func(*args, **kwargs)

    def _wanted(self, path: str) -> bool:
        if self._layers is None:
            return True
        parts = path.split(".")
        return any(
            str(layer) in parts if isinstance(layer, int) else fnmatch(path, layer)
            for layer in self._layers
        )
