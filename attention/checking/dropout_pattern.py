"""Dropout seen in numbers: each weight is 0, or w/(1−p) with one p for all."""

from __future__ import annotations

from torch import Tensor

SMALLEST = 1e-6
"""Weights below this may be 0 of themselves."""
DEVIATIONS = 6.0
"""How many standard deviations the share of zeros may be away from p."""


def keep_probability(given: Tensor, weights: Tensor) -> float | None:
    """1 − p, read off the middle of w/given over the cells that are not 0; None without any."""
    kept = (given != 0) & given.isfinite() & (weights.abs() > SMALLEST)
    if not kept.any():
        return None
    return float((weights[kept] / given[kept].to(weights)).median())


def dropped_like(given: Tensor, weights: Tensor) -> Tensor:
    """``weights`` with the zeros of ``given``, the others divided by 1 − p.

    Nothing is changed where the numbers do not look like dropout: of another shape, with no
    weight that grew, or with more or fewer zeros than p makes by chance.
    """
    if given.shape != weights.shape:
        return weights
    keep = keep_probability(given, weights)
    if keep is None or not 0.01 < keep < 0.999 or not _by_chance(given, weights, keep):
        return weights
    return (weights / keep).masked_fill(given == 0, 0)


def _by_chance(given: Tensor, weights: Tensor, keep: float) -> bool:
    alive = weights.abs() > SMALLEST
    count = int(alive.sum())
    zeros = int((alive & (given == 0)).sum())
    spread = (count * keep * (1 - keep)) ** 0.5
    return bool(abs(zeros - count * (1 - keep)) <= DEVIATIONS * spread + 1)
