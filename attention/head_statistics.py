"""What one number can say about a head: how its weights are spread over the keys."""

from __future__ import annotations

import torch
from torch import Tensor


def wide(weights: Tensor) -> Tensor:
    """At float32 or wider, so that sums of 16-bit weights keep their digits."""
    return weights.to(torch.promote_types(weights.dtype, torch.float32))


def entropy(weights: Tensor, empty: Tensor) -> Tensor:
    """Mean over the rows of −Σ w ln w, in nats: weights [B, H, T, S] → [B, H].

    0 where every row sees one key only, ln S where all keys weigh the same. ``empty``
    [B, 1 or H, T] are the rows that see no key; they are left out, here and below, and a head
    with no other row has NaN.
    """
    return _over_rows(torch.special.entr(wide(weights)).sum(-1), empty)


def mean_distance(weights: Tensor, empty: Tensor, P: int) -> Tensor:
    """Mean over the rows of Σ w·|query + P − key|, P the cache's length: [B, H]."""
    T, S = weights.shape[-2:]
    distance = (torch.arange(T)[:, None] + P - torch.arange(S)).abs()
    return _over_rows((wide(weights) * distance).sum(-1), empty)


def first_key_weight(weights: Tensor, empty: Tensor) -> Tensor:
    """Mean over the rows of the weight on key 0: [B, H]."""
    return _over_rows(wide(weights)[..., 0], empty)


def largest_weight(weights: Tensor, empty: Tensor) -> Tensor:
    """The largest weight of any row: [B, H]."""
    rows = wide(weights).amax(-1)
    found = rows.masked_fill(empty, -torch.inf).amax(-1)
    return found.masked_fill(empty.all(-1), torch.nan)


def average_weights(weights: Tensor) -> Tensor:
    """Mean over the heads, which is not what any head does: [B, H, T, S] → [B, T, S]."""
    return wide(weights).mean(1)


def _over_rows(values: Tensor, empty: Tensor) -> Tensor:
    """Mean of [B, H, T] over the rows that are not empty."""
    return values.masked_fill(empty, 0).sum(-1) / (~empty).expand_as(values).sum(-1)
