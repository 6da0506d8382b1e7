"""Linear attention beside softmax attention: another definition, on the same q, k, v and masks."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import elu

from attention.arrays import widened
from attention.result import Result


@dataclass(frozen=True)
class LinearAttention:
    """``weights`` [B, H, T, S] as linear attention would mix, and its ``heads`` [B, H, T, Dv].

    ``reordered`` are the same heads from sums over the keys, without any T × S matrix; None where
    the masks are neither none nor causal with T = S, for then no running sum gives them.
    """

    weights: Tensor
    heads: Tensor
    reordered: Tensor | None


def linear_attention(result: Result) -> LinearAttention:
    """φ(q)·φ(k), divided by its row's sum, times v, with φ(x) = elu(x) + 1.

    Katharopoulos et al. (2020), sections 3.2 and 3.3. The scale, softcap and biases of the run
    belong to its softmax and play no part; masks do. A row that sees no key is 0.
    """
    dims = result.layout
    wide = widened(result.q.dtype)
    q = feature_map(result.q.to(wide))  # [B H T D]
    k = feature_map(result.k.to(wide)).repeat_interleave(dims.G, 1)  # [B H S D]
    v = result.v.to(wide).repeat_interleave(dims.G, 1)  # [B H S Dv]
    products = (q @ k.transpose(-2, -1)) * result.allowed  # [B H T S]
    weights = _divided(products, products.sum(-1, keepdim=True))
    return LinearAttention(weights, weights @ v, _reordered(result.allowed, q, k, v))


def feature_map(x: Tensor) -> Tensor:
    """elu(x) + 1, which is positive everywhere (Katharopoulos et al., 2020, equation 7)."""
    return elu(x) + 1


def _reordered(allowed: Tensor, q: Tensor, k: Tensor, v: Tensor) -> Tensor | None:
    """φ(q)·Σ φ(k) vᵀ / φ(q)·Σ φ(k), the sums over all keys, or over those up to the query."""
    T, S = allowed.shape[-2:]
    if bool(allowed.all()):
        return _divided(q @ (k.transpose(-2, -1) @ v), q @ k.sum(-2)[..., None])
    if T != S or not bool((allowed == torch.ones(T, S, dtype=torch.bool).tril()).all()):
        return None
    state = k.new_zeros(*k.shape[:2], k.shape[-1], v.shape[-1])  # [B H D Dv]
    total = k.new_zeros(*k.shape[:2], k.shape[-1], 1)  # [B H D 1]
    rows = []
    for t in range(T):
        key, query = k[:, :, t, :, None], q[:, :, t, None]  # [B H D 1], [B H 1 D]
        state += key * v[:, :, t, None]
        total += key
        rows.append(_divided(query @ state, query @ total))
    return torch.cat(rows, -2)  # [B H T Dv]


def _divided(mixed: Tensor, sums: Tensor) -> Tensor:
    """A row whose sum is 0 saw no key, and stays 0."""
    return mixed / torch.where(sums == 0, torch.ones_like(sums), sums)
