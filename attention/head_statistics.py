"""What one number can say about a head: how its weights are spread over the keys.

Every number is a mean over the rows that count, those of real tokens that see a key. ``left_out``
[B, 1 or H, T] are the others; a head where no row counts has NaN.
"""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from attention.arrays import widened

if TYPE_CHECKING:
    from attention.task import Task


def wide(weights: Tensor) -> Tensor:
    """At float32 or wider, so that sums of 16-bit weights keep their digits."""
    return weights.to(widened(weights.dtype))


def rows_left_out(task: Task, empty: Tensor) -> Tensor:
    """Rows that see no key, ``empty`` [B, 1 or H, T], and those of filling."""
    filled = filling(task)
    return empty if filled is None else empty | filled[:, None]


def filling(task: Task) -> Tensor | None:
    """Rows of filling in self-attention [B or 1, T], None where no mask says so.

    A padding mask says which keys are filling; query t is key P + t where the queries are as many
    as the new keys and those are not from ``memory``.
    """
    dims = task.dims
    reals = [mask.real[:, dims.P :] for mask in task.masks if mask.real is not None]
    if dims.cross or dims.new_keys != dims.T or not reals:
        return None
    return ~reduce(torch.logical_and, reals)


def entropy(weights: Tensor, left_out: Tensor) -> Tensor:
    """Mean over the rows of −Σ w ln w, in nats: weights [B, H, T, S] → [B, H].

    0 where every row sees one key only, ln S where all keys weigh the same.
    """
    return _over_rows(torch.special.entr(wide(weights)).sum(-1), left_out)


def mean_distance(weights: Tensor, left_out: Tensor, P: int) -> Tensor:
    """Mean over the rows of Σ w·|query + P − key|, P the cache's length: [B, H]."""
    T, S = weights.shape[-2:]
    distance = (torch.arange(T)[:, None] + P - torch.arange(S)).abs()
    return _over_rows((wide(weights) * distance).sum(-1), left_out)


def first_key_weight(weights: Tensor, left_out: Tensor) -> Tensor:
    """Mean over the rows of the weight on key 0: [B, H]."""
    return _over_rows(wide(weights)[..., 0], left_out)


def largest_weight(weights: Tensor, left_out: Tensor) -> Tensor:
    """Mean over the rows of the row's largest weight: [B, H].

    Not the largest of all rows, which is 1 in every causal head: query 0 sees one key.
    """
    return _over_rows(wide(weights).amax(-1), left_out)


def average_weights(weights: Tensor) -> Tensor:
    """Mean over the heads, which is not what any head does: [B, H, T, S] → [B, T, S]."""
    return wide(weights).mean(1)


def _over_rows(values: Tensor, left_out: Tensor) -> Tensor:
    """Mean of [B, H, T] over the rows that count."""
    return values.masked_fill(left_out, 0).sum(-1) / (~left_out).expand_as(values).sum(-1)
