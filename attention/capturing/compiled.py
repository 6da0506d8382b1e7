"""Compiled models: while a run is recorded they run as they were written."""

from __future__ import annotations

import sys
from contextlib import ExitStack

import torch


class Uncompiled:
    """Switches `torch.compile` off, as soon as anybody uses it: its import takes a second."""

    def __init__(self) -> None:
        self._stance: ExitStack | None = None

    def watch(self) -> None:
        """Compiled code calls kernels that name neither q, k, v nor masks."""
        if self._stance is None and "torch._dynamo" in sys.modules:
            self._stance = ExitStack()
            self._stance.enter_context(torch.compiler.set_stance("force_eager"))

    def close(self) -> None:
        """As it was before."""
        if self._stance is not None:
            self._stance.close()
            self._stance = None
