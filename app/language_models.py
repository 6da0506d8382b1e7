"""The language models that the operator allows, loaded when they are first run."""

from __future__ import annotations

import logging

from app.pool import Pool
from app.settings import Settings
from attention import SpecificationError, TextModel, say

log = logging.getLogger("app")
HOW = (
    "The setting ATTENTION_MODELS names the models that may be run, separated by commas: folders,"
    " .gguf files or hub ids, such as NAME=/path/to/folder; or start with --model NAME=PATH."
)


class LanguageModels:
    """Models by name. The one that ran last stays loaded.

    Runs take turns in ``pool``, for a model fills the memory and the cores; who waits for it holds
    up no other computation.
    """

    def __init__(self, settings: Settings) -> None:
        self._sources, self._online = settings.models, settings.models_online
        self._loaded: tuple[str, TextModel] | None = None
        self.pool = Pool(1)

    @property
    def names(self) -> list[str]:
        """What may be asked for."""
        return list(self._sources)

    def why_not(self, name: str) -> str | None:
        """Why a model cannot be run, as far as a quick look tells."""
        return TextModel.why_not(self._sources[name], online=self._online)

    def check(self, name: str) -> None:
        """Refuse a model that is not allowed, or that is not there."""
        if name not in self._sources:
            raise SpecificationError(
                "model is one that the server allows",
                loc=("model",),
                expected=", ".join(map(repr, self.names)) or f"none is allowed. {HOW}",
                got=say(name),
            )
        reason = self.why_not(name)
        if reason is not None:
            raise SpecificationError(f"the model {name} cannot be run", loc=("model",), got=reason)

    def load(self, name: str) -> TextModel:
        """The model, ready to run; what is wrong with its files is said in the log alone."""
        if self._loaded is not None and self._loaded[0] == name:
            return self._loaded[1]
        self._loaded = None
        try:
            model = TextModel.load(self._sources[name], online=self._online)
        except SpecificationError as error:
            log.warning("%s", error)
            raise SpecificationError(
                f"the model {name} cannot be loaded; the server's log says why", loc=("model",)
            ) from None
        self._loaded = (name, model)
        return model
