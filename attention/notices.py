"""Warnings: facts of a run that a reader would otherwise trip over."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from attention.arrays import all_finite

ROW_SUM_TOLERANCE = {
    torch.float64: 1e-9,
    torch.float32: 1e-4,
    torch.float16: 2e-2,
    torch.bfloat16: 1e-1,
}


@dataclass(frozen=True)
class Notice:
    """One warning: a code, a sentence, and what it concerns."""

    code: str
    message: str
    concerns: str | None = None
    rows: Tensor | None = None


def fully_masked_rows(empty: Tensor, heads: int, policy: str) -> list[Notice]:
    """Rows [B, 1 or H, T] that see no key, listed for every head."""
    if not empty.any():
        return []
    rows = empty.expand(-1, heads, -1).nonzero()
    answer = {"zero": "0", "nan": "NaN", "uniform": "1/S over all keys"}[policy]
    return [
        Notice(
            "fully_masked_rows",
            f"{len(rows)} row(s) see no key; their weights are {answer} here. PyTorch's"
            " scaled_dot_product_attention and ONNX answer 0, the plain formula NaN, JAX and"
            " Hugging Face the mean over all keys",
            rows=rows,
        )
    ]


def overflows(inputs: list[Notice], tensors: dict[str, Tensor]) -> list[Notice]:
    """Infinite results of finite inputs: the dtype was too small for them.

    ``inputs`` are the notices of reading; where an input was not finite, nothing is blamed.
    """
    odd = ("non_finite_input", "overflow")
    if any(notice.code in odd and notice.concerns != "fill" for notice in inputs):
        return []
    return [
        Notice(
            "overflow",
            f"{int(tensor.isinf().sum())} number(s) of {name} overflowed"
            f" {str(tensor.dtype).removeprefix('torch.')}"
            f" (largest {torch.finfo(tensor.dtype).max:g}) and are infinite",
            concerns=name,
        )
        for name, tensor in tensors.items()
        if not all_finite(tensor) and tensor.isinf().any()
    ]


def non_finite_results(tensors: dict[str, Tensor]) -> list[Notice]:
    """Results that hold NaN, or an infinity that is no mask."""
    found = []
    for name, tensor in tensors.items():
        if not all_finite(tensor):
            bad = ~torch.isfinite(tensor)
            found.append(f"{name} ({int(bad.sum())} values, first at {bad.nonzero()[0].tolist()})")
    if not found:
        return []
    return [Notice("non_finite_result", "not finite: " + ", ".join(found))]


def row_sums(sums: Tensor, empty: Tensor, dtype: torch.dtype, why: str) -> list[Notice]:
    """Rows with a visible key whose weights do not sum to 1."""
    odd = ((sums - 1).abs() > ROW_SUM_TOLERANCE[dtype]) & ~empty.expand_as(sums)
    if not odd.any():
        return []
    return [
        Notice(
            "rows_do_not_sum_to_one",
            f"{int(odd.sum())} row(s) of weights do not sum to 1 (smallest"
            f" {sums[odd].min().item():g}, largest {sums[odd].max().item():g}){why}",
            rows=odd.nonzero(),
        )
    ]
