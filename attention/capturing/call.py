"""One recorded call: what was passed to an attention function, as a specification."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from safetensors import safe_open
from torch import Tensor

from attention.forward import attend
from attention.result import Result

SAVED = (
    *("index", "module", "function", "options", "conventions"),
    *("tokens", "memory_tokens", "has_hidden_states", "has_sinks"),
)
"""What a run's file says of each call beside its tensors."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of an attention function; its tensors are read from ``file`` when asked for.

    ``options``: causal, scale (None: the default), dropout_p, enable_gqa, softcap, fully_masked,
    and kv_repeated, how many times the model itself had repeated each KV head (recorded once).
    ``tokens`` and
    ``memory_tokens`` label queries and keys, where someone knew them. ``shapes`` and ``dtype``
    are those of the recorded q, k and v.
    """

    index: int
    module: str
    function: str
    options: dict[str, Any]
    conventions: list[str]
    file: str
    dtype: str
    shapes: dict[str, tuple[int, ...]]
    tokens: list[Any] | None = None
    memory_tokens: list[Any] | None = None
    has_hidden_states: bool = False
    has_sinks: bool = False
    owner: object = field(default=None, repr=False, compare=False)
    """What keeps the file where it is: it goes with the last call that knows it."""

    @property
    def num_heads(self) -> int:
        """Query heads H."""
        return self.shapes["q"][1]

    @property
    def num_kv_heads(self) -> int:
        """KV heads K, as recorded."""
        return self.shapes["k"][1]

    @property
    def names(self) -> list[str]:
        """The names that `tensor` takes."""
        masks = [f"mask.{i}" for i in range(len(self.conventions))]
        more = {"sinks": self.has_sinks, "hidden_states": self.has_hidden_states}
        return ["q", "k", "v", *masks, *(name for name, there in more.items() if there)]

    def stored(self, name: str) -> str:
        """The name of a tensor in the run's file."""
        return f"call.{self.index}.{name}"

    def tensor(self, name: str) -> Tensor:
        """``q``, ``k``, ``v``, ``mask.0`` …, ``sinks`` or ``hidden_states`` as recorded."""
        with safe_open(self.file, framework="pt") as tensors:
            found: Tensor = tensors.get_tensor(self.stored(name))
            return found

    @property
    def specification(self) -> dict[str, Any]:
        """The fields that make `attend` compute this very call."""
        return self.fields(self.tensor)

    def reference(self, upload: str) -> dict[str, Any]:
        """The same specification as JSON that names the tensors of an uploaded run."""
        return self.fields(lambda name: {"upload": upload, "name": self.stored(name)})

    def fields(self, tensor: Callable[[str], Any]) -> dict[str, Any]:
        """The specification, its arrays as ``tensor`` gives them by name."""
        masks: list[dict[str, Any]] = [
            {"kind": "matrix", "values": tensor(f"mask.{i}"), "convention": convention}
            for i, convention in enumerate(self.conventions)
        ]
        if self.options["causal"]:
            masks.append({"kind": "causal", "alignment": "top_left"})
        more = {
            "softcap": self.options.get("softcap"),
            "fully_masked": self.options.get("fully_masked"),
            "sinks": tensor("sinks") if self.has_sinks else None,
            "tokens": self.tokens,
            "memory_tokens": self.memory_tokens,
        }
        return {
            **{name: tensor(name) for name in ("q", "k", "v")},
            "masks": masks,
            "scale": self.options["scale"],
            "dtype": self.dtype,
            **{name: given for name, given in more.items() if given is not None},
        }

    def attend(self, **changes: Any) -> Result:
        """Every stage of the call; ``changes`` replace fields of its specification."""
        return attend(**{**self.specification, **changes})
