"""A language model with its tokenizer, and its attention on a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from attention.arrays import DTYPES, is_whole, say
from attention.capturing.calls import Calls
from attention.capturing.paths import ModulePaths
from attention.capturing.recorder import Recorder, calls_in
from attention.errors import SpecificationError
from attention.texts.encoding import Encoded, Text, encode
from attention.texts.loading import load, why_not


class TextModel:
    """A model of the transformers library and its tokenizer (None: it takes token ids alone)."""

    def __init__(self, model: Any, tokenizer: Any = None) -> None:
        self.model, self.tokenizer = model, tokenizer

    @classmethod
    def load(
        cls,
        source: str | Path,
        *,
        tokenizer: Any = None,
        online: bool = False,
        device: str = "cpu",
        dtype: str = "float32",
    ) -> TextModel:
        """From a folder, a .gguf file, or a hub id; the hub is asked only if ``online``.

        ``tokenizer`` replaces the model's own. Code that comes with a model is never run. Errors:
        `SpecificationError` where the library or the model is not there, or cannot be read.
        """
        if dtype not in DTYPES:
            raise SpecificationError(
                "dtype must be a known choice",
                loc=("dtype",),
                expected=", ".join(DTYPES),
                got=say(dtype),
            )
        model, own = load(source, online, device, DTYPES[dtype])
        return cls(model, tokenizer or own)

    @staticmethod
    def why_not(source: str | Path, *, online: bool = False) -> str | None:
        """What a quick look finds missing before `load`; None where nothing is."""
        return why_not(source, online)

    @property
    def num_layers(self) -> int:
        """How many layers the model says that it has."""
        return int(self.model.config.get_text_config().num_hidden_layers)

    def encode(self, text: Text) -> Encoded:
        """Texts or token ids as the model takes them; what it cannot take is refused."""
        known = self.model.get_input_embeddings().num_embeddings
        encoded = encode(text, self.tokenizer, known)
        longest = getattr(self.model.config.get_text_config(), "max_position_embeddings", None)
        if longest is not None and encoded.ids.shape[1] > longest:
            raise SpecificationError(
                "the text is longer than the model reads",
                loc=("text",),
                expected=f"at most {longest} tokens",
                got=encoded.ids.shape[1],
            )
        return encoded

    def run(
        self,
        text: Text | Encoded,
        *,
        layers: Sequence[int] | None = None,
        progress: Callable[[int, int], None] | None = None,
        folder: str | Path | None = None,
    ) -> Calls:
        """The attention calls of one forward pass; see `run_text`."""
        encoded = text if isinstance(text, Encoded) else self.encode(text)
        wanted = self._layers(layers)
        total = self.num_layers

        def seen(done: int) -> None:
            if progress is not None:
                progress(done, max(total, done))

        device = self.model.device
        calls = calls_in(folder)
        paths = ModulePaths(self.model, inputs=True)
        recorder = Recorder(calls, paths, lambda i, _: wanted is None or i in wanted, seen)
        with torch.inference_mode(), paths.followed(), recorder:
            self.model(input_ids=encoded.ids.to(device), attention_mask=encoded.mask.to(device))
        if not calls:
            raise SpecificationError(
                "no attention was seen: the model computes it in a way that is not recorded",
                loc=("model",),
                got=f"{type(self.model).__name__}, {self.model.config._attn_implementation}",
            )
        calls.label(encoded.labels)
        return calls

    def _layers(self, layers: Sequence[int] | None) -> set[int] | None:
        if layers is None:
            return None
        total = self.num_layers
        for i, layer in enumerate(layers):
            if not is_whole(layer) or not 0 <= layer < total:
                raise SpecificationError(
                    "a layer is counted from 0",
                    loc=("layers", i),
                    expected=f"0 to {total - 1}",
                    got=say(layer),
                )
        if not layers:
            raise SpecificationError("layers names at least one", loc=("layers",), got="none")
        return set(layers)
