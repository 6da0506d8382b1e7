"""Dropout seen in numbers: each weight is 0, or w/(1−p) with one p for all."""

from __future__ import annotations

from torch import Tensor


def keep_probability(given: Tensor, weights: Tensor) -> float | None:
    """1 − p, read off the middle of w/given over the cells that are not 0; None without any."""
    kept = (given != 0) & given.isfinite() & (weights.abs() > 1e-6)
    if not kept.any():
        return None
    return float((weights[kept] / given[kept].to(weights)).median())


def dropped_like(given: Tensor, weights: Tensor) -> Tensor:
    """``weights`` with the zeros of ``given``, the others divided by 1 − p.

    Nothing is changed where the numbers do not look like dropout: of another shape, without a
    weight that became 0, or with none that grew.
    """
    if given.shape != weights.shape:
        return weights
    keep = keep_probability(given, weights)
    if keep is None or not 0.01 < keep < 0.999:
        return weights
    return (weights / keep).masked_fill(given == 0, 0)
