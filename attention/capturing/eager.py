"""The plain attention of the transformers library, which calls no fused function: recorded too.

Models with a softcap or sinks (Gemma 2, GPT-OSS) compute so by default. Each has a function of its
own for it, which the library hands out; here it is handed out with a recorder around it.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable
from functools import partial, wraps
from typing import Any, Protocol

import torch
from torch import Tensor

from attention.capturing.call import Call
from attention.capturing.reading import Reading

LIBRARY = "transformers.modeling_utils"
TOLERANCES = {torch.float64: 1e-6, torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}


class Around(Protocol):
    """Runs a call with a recorder around it; ``check`` gets what was recorded and the answer."""

    def __call__(
        self,
        read: Callable[[], Reading],
        name: str,
        run: Callable[[], Any],
        check: Callable[[Call, Any], None] | None = None,
    ) -> Any: ...


class EagerFunctions:
    """While it watches, every model's own attention function is recorded."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._library: Any = None
        self._original: Any = None

    def watch(self) -> None:
        """As soon as the library is there."""
        found: Any = getattr(sys.modules.get(LIBRARY), "AttentionInterface", None)
        if self._library is not None or not hasattr(found, "get_interface"):
            return
        self._library, self._original = found, found.get_interface
        original, around = self._original, self._around

        @wraps(original)
        def chosen(functions: Any, implementation: Any, default: Any) -> Any:
            function = original(functions, implementation, default)
            return partial(_called, function, around) if function is default else function

        found.get_interface = chosen

    def close(self) -> None:
        """Hand out the functions alone again."""
        if self._library is not None:
            self._library.get_interface = self._original
            self._library = None


def _called(function: Callable[..., Any], around: Around, *args: Any, **kwargs: Any) -> Any:
    return around(
        lambda: read_eager(function, args, kwargs),
        "eager_attention_forward",
        lambda: function(*args, **kwargs),
        warn_of_more,
    )


def read_eager(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Reading:
    """What such a function is given: heads, additive masks, scaling, softcap and sinks."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    call = bound.arguments | bound.arguments.get("kwargs", {})
    q, k, v = (call[name] for name in ("query", "key", "value"))
    biases = (call.get(name) for name in ("position_bias", "attention_mask"))
    added = [bias[..., : k.shape[-2]] for bias in biases if isinstance(bias, Tensor)]
    sinks = call.get("sinks", call.get("s_aux"))
    masks = [_plain_mask(mask, q.dtype) for mask in added]
    options = {
        "causal": False,
        "scale": call.get("scaling"),
        "dropout_p": call.get("dropout", 0.0),
        "softcap": call.get("softcap") if "softcap" in bound.arguments else None,
    }
    if sinks is None and any(convention == "allowed" for _, convention in masks):
        # The least number of the type, added to every score of a row, leaves them all alike.
        options["fully_masked"] = "uniform"
    return Reading(q, k, v, masks, options, None if sinks is None else sinks.detach().flatten())


def _plain_mask(mask: Tensor, dtype: torch.dtype) -> tuple[Tensor, str]:
    """Zeros and the type's least number say which keys may be seen; other numbers are added."""
    blocked = mask <= torch.finfo(dtype).min
    if bool(((mask == 0) | blocked).all()):
        return ~blocked, "allowed"
    return mask.to(dtype), "additive"


def warn_of_more(call: Call, answer: Any) -> None:
    """Some model may do what no field says; its own weights tell."""
    theirs = answer[1] if isinstance(answer, tuple) and len(answer) > 1 else None
    if not isinstance(theirs, Tensor) or call.options["dropout_p"]:
        return
    ours, theirs = call.attend().weights, theirs.detach().cpu()
    near = TOLERANCES.get(theirs.dtype, 5e-2)
    if ours.shape != theirs.shape or (ours - theirs).abs().nan_to_num(torch.inf).max() > near:
        warnings.warn(
            f"{call.module}: its own attention does more than q·k, scale, softcap, masks and"
            " sinks, so that what is recorded of it gives other weights",
            stacklevel=2,
        )
