"""One call from a text to recorded attention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attention.capturing.calls import Calls
from attention.texts.encoding import Text
from attention.texts.model import TextModel


def run_text(
    model: TextModel | str | Path,
    text: Text,
    *,
    layers: Sequence[int] | None = None,
    progress: Callable[[int, int], None] | None = None,
    folder: str | Path | None = None,
    **loading: Any,
) -> Calls:
    """What a language model's attention computes on a text, layer by layer.

    ``model`` is a folder, a .gguf file, a hub id, or a `TextModel`, whose `load` takes the other
    options (``online``, ``tokenizer``, ``device``, ``dtype``). ``text`` is one text or several,
    or token ids. ``layers`` are counted from 0. Each call has q, k, v, masks, the hidden states
    that entered the module, and the tokens as labels. ``progress(done, of)`` is told after each
    layer; what it raises stops the run. Errors: `SpecificationError`, with the place.
    """
    ready = model if isinstance(model, TextModel) else TextModel.load(model, **loading)
    return ready.run(text, layers=layers, progress=progress, folder=folder)
