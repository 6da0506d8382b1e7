"""What each style cannot say, each with its reason: rows of a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from attention.result import Result


@dataclass(frozen=True)
class Refusal:
    """``reason`` holds where ``applies``."""

    applies: Callable[[Result], bool]
    reason: str


def blind_rows(result: Result) -> Tensor:
    """Rows that see no key, [B, 1 or H, T]."""
    return result.empty_rows


def _settled_otherwise(policy: str) -> Callable[[Result], bool]:
    def applies(result: Result) -> bool:
        return result.task.spec.fully_masked != policy and bool(blind_rows(result).any())

    return applies


def _finite_fill(result: Result) -> bool:
    task = result.task
    return bool(task.masks) and task.fill != -math.inf and not bool(result.allowed.all())


def _masked_late(result: Result) -> bool:
    spec = result.task.spec
    return spec.mask_order == "after_softmax" and not bool(result.allowed.all())


def _not_finite(result: Result) -> bool:
    """Numbers that a kernel treats in its own way: NaN, or an infinity that is no mask."""
    scores = result.scores
    odd = scores.isnan() | (scores == math.inf)
    lost = result.weights.isnan() & ~blind_rows(result)[..., None]
    return bool(odd.any()) or bool(lost.any()) or not result.task.values_are_finite


def _own_scale(result: Result) -> bool:
    return result.task.scale != float(result.layout.D**-0.5)


def _odd_width(result: Result) -> bool:
    dims = result.layout
    return dims.E is not None and dims.H * dims.D != dims.E


def _odd_output(result: Result) -> bool:
    return result.layout.E is not None and result.output.shape[-1] != result.layout.E


FUSED = (
    Refusal(lambda r: r.task.spec.softcap is not None, "it has no softcap"),
    Refusal(lambda r: r.task.sinks is not None, "it has no sinks"),
    Refusal(_finite_fill, "it blocks with -inf alone, never with a finite fill"),
    Refusal(_masked_late, "it masks before the softmax, as is right, and cannot make the mistake"),
    Refusal(
        lambda r: r.task.spec.dropout is not None,
        "its dropout draws from PyTorch's generator, so that this run's cells cannot be repeated",
    ),
    Refusal(
        _not_finite,
        "the run holds NaN or infinite numbers, and what becomes of them depends on its kernel",
    ),
)
REFUSALS: dict[str, tuple[Refusal, ...]] = {
    "explicit": (),
    "numpy": (
        Refusal(lambda r: r.task.spec.dtype == "bfloat16", "NumPy has no bfloat16"),
    ),
    "sdpa": (
        *FUSED,
        Refusal(
            _settled_otherwise("zero"),
            "it answers 0 for a row that sees no key, and this run has such rows",
        ),
    ),
    "multihead_attention": (
        Refusal(
            lambda r: r.task.spec.x is None,
            "it projects x by itself and takes no ready heads q, k and v",
        ),
        Refusal(
            lambda r: r.layout.kind != "mha",
            "it has as many key/value heads as query heads: no GQA, no MQA",
        ),
        Refusal(_odd_width, "its heads share the model width: num_heads * head_dim must be E"),
        Refusal(
            lambda r: r.layout.Dv != r.layout.D,
            "its values are as wide as its queries: value_dim must be head_dim",
        ),
        Refusal(_odd_output, "its output is as wide as its input: w_o must lead back to E"),
        Refusal(_own_scale, "it always divides by sqrt(head_dim)"),
        Refusal(lambda r: r.task.spec.rope is not None, "it has no rotary positions"),
        Refusal(lambda r: r.task.spec.qk_norm is not None, "it does not normalise q and k"),
        Refusal(lambda r: r.layout.P > 0, "it takes no cache"),
        *FUSED,
        Refusal(
            _settled_otherwise("nan"),
            "it answers NaN for a row that sees no key, and this run has such rows",
        ),
    ),
}  # fmt: skip


def reasons(result: Result, style: str) -> list[str]:
    """Why the style cannot say this run; nothing where it can."""
    return [refusal.reason for refusal in REFUSALS[style] if refusal.applies(result)]
