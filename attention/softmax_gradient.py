"""What the softmax lets through of a gradient, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class SoftmaxRow:
    """One row of scores after the softmax.

    ``derivative`` [n][n] holds ∂weights[i] / ∂scores[j]; ``norm`` is the root of the sum of its
    squares, ``largest`` its largest entry (at most 1/4), ``entropy`` is −Σ w ln w in nats.
    """

    weights: list[float]
    derivative: list[list[float]]
    norm: float
    largest: float
    entropy: float


def softmax_gradient(scores: Sequence[float]) -> SoftmaxRow:
    """softmax(s) and its derivative diag(w) − w wᵀ, in float64.

    Once one weight is nearly 1 every entry w_i·(δ_ij − w_j) is nearly 0, and scores learn no
    more: the reason that Vaswani et al. (2017, section 3.2.1) give for dividing by √D.
    """
    weights = torch.softmax(torch.tensor(scores, dtype=torch.float64), 0)  # [n]
    derivative = torch.diag(weights) - torch.outer(weights, weights)  # [n n]
    return SoftmaxRow(
        weights=weights.tolist(),
        derivative=derivative.tolist(),
        norm=derivative.norm().item(),
        largest=derivative.abs().max().item(),
        entropy=torch.special.entr(weights).sum().item(),
    )
