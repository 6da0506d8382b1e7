"""Which module of a model is running, and what it was given."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)

COMPILED = "_orig_mod"


class ModulePaths:
    """The path of the module that is running, such as ``model.layers.3.self_attn``.

    With ``inputs`` what it was given is kept while it runs; ``entered`` is told of each one that
    begins. The hooks see every thread's modules, so those of other threads are left alone.
    """

    def __init__(self, model: nn.Module | None, *, inputs: bool = False) -> None:
        self._names: dict[int, str] = {}
        self._model, self._inputs = model, inputs
        self.entered: Callable[[], None] | None = None
        self._running: list[nn.Module] = []
        self._given: dict[int, Tensor] = {}
        self._thread = threading.get_ident()
        if model is not None:
            self._learn(model)

    @property
    def current(self) -> str | None:
        """The running module's path, None outside the model."""
        module = self._innermost()
        if module is None:
            return "" if self._model is None else None
        return self._names[id(module)]

    @property
    def hidden_states(self) -> Tensor | None:
        """What the running module was given, [B, T, E]; None where that is not known."""
        module = self._innermost()
        return None if module is None else self._given.get(id(module))

    @contextmanager
    def followed(self) -> Iterator[None]:
        """Keep track of which module runs."""
        hooks = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]
        if self._inputs and self._model is not None:
            hooks += [
                module.register_forward_pre_hook(self._keep, with_kwargs=True)
                for module in self._model.modules()
            ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _innermost(self) -> nn.Module | None:
        return next((m for m in reversed(self._running) if id(m) in self._names), None)

    def _learn(self, root: nn.Module) -> None:
        """A compiled model stands below a name of its own, which is no part of the path."""
        for name, module in root.named_modules():
            self._names[id(module)] = ".".join(p for p in name.split(".") if p != COMPILED)

    def _enter(self, module: nn.Module, args: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        if not self._running and self._model is None:
            self._learn(module)
        self._running.append(module)
        if self.entered is not None:
            self.entered()

    def _keep(self, module: nn.Module, args: Any, kwargs: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        for value in (*args, *kwargs.values()):
            if isinstance(value, Tensor) and value.ndim == 3 and value.is_floating_point():
                self._given[id(module)] = value
                return

    def _leave(self, module: nn.Module, args: Any, output: Any) -> None:
        if threading.get_ident() != self._thread:
            return
        self._given.pop(id(module), None)
        while self._running and self._running.pop() is not module:
            pass
