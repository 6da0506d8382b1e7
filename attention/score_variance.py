"""How far dot products of random vectors spread with their width: why scores are divided by √D."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attention.errors import LimitError, SpecificationError


@dataclass(frozen=True)
class Spread:
    """Measured on random numbers: mean and variance of the scores, and what the softmax makes.

    ``largest_weight`` is the mean over rows of their largest weight.
    """

    mean: float
    variance: float
    largest_weight: float


@dataclass(frozen=True)
class ScoreVariance:
    """Scores of q and k of one ``width``: the plain q·k, and q·k / √width."""

    width: int
    plain: Spread
    scaled: Spread


def score_variance(
    widths: Sequence[int], rows: int = 256, keys: int = 16, seed: int = 0, most: int = 2**25
) -> list[ScoreVariance]:
    """Draw q and k with entries N(0, 1) for each width, and measure q·k and q·k / √width.

    A sum of D products of independent numbers of mean 0 and variance 1 has mean 0 and variance D
    (Vaswani et al., 2017, section 3.2.1, footnote 4). Every score has a q and a k of its own, so
    the rows · keys scores of a width are independent.

    Errors: `LimitError` where all widths together need more than ``most`` numbers.
    """
    if rows * keys < 2:
        raise SpecificationError(
            "a variance needs several scores",
            loc=("rows",),
            expected="rows · keys of 2 or more",
            got=rows * keys,
        )
    needed = 2 * rows * keys * sum(widths)
    if needed > most:
        raise LimitError(
            "random numbers of one answer",
            limit="max_random",
            loc=("widths",),
            expected=f"at most {most}",
            got=needed,
        )
    return [_measured(width, rows, keys, seed) for width in widths]


def _measured(width: int, rows: int, keys: int, seed: int) -> ScoreVariance:
    random = np.random.RandomState(seed)
    q, k = torch.from_numpy(random.standard_normal((2, rows, keys, width)))
    scores = (q * k).sum(-1)  # [rows keys]
    return ScoreVariance(width, _spread(scores), _spread(scores / width**0.5))


def _spread(scores: Tensor) -> Spread:
    largest = torch.softmax(scores, -1).amax(-1).mean()
    return Spread(scores.mean().item(), scores.var().item(), largest.item())
