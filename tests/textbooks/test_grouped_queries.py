"""Fourth way: grouped queries, keys and values repeated for every query head of their group."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from tests.conftest import Tensors

B, T, E, H, K, D = 2, 5, 512, 8, 2, 64


def split(rows: Tensor, count: int) -> Tensor:
    return rows.reshape(B, T, count, D).transpose(1, 2)


def grouped_attention(
    x: Tensor, w_q: Tensor, w_k: Tensor, w_v: Tensor, w_o: Tensor
) -> tuple[Tensor, Tensor]:
    q = split(x @ w_q.T, H)
    k = split(x @ w_k.T, K).repeat_interleave(H // K, dim=1)
    v = split(x @ w_v.T, K).repeat_interleave(H // K, dim=1)
    scores = q @ k.transpose(-2, -1) / math.sqrt(D)
    future = torch.ones(T, T, dtype=torch.bool).triu(diagonal=1)
    weights = scores.masked_fill(future, -math.inf).softmax(dim=-1)
    return (weights @ v).transpose(1, 2).reshape(B, T, H * D) @ w_o.T, weights


def test_grouped_queries_that_repeat_keys_and_values_are_matched(
    tensors: Callable[..., Tensors],
) -> None:
    torch.manual_seed(29)
    x = torch.randn(B, T, E, dtype=torch.float64)
    widths = {"w_q": (H * D, E), "w_k": (K * D, E), "w_v": (K * D, E), "w_o": (E, H * D)}
    weights_given = {
        name: torch.randn(*shape, dtype=torch.float64) / math.sqrt(shape[1])
        for name, shape in widths.items()
    }
    output, weights = grouped_attention(x, **weights_given)

    spec = {
        "x": x.numpy(),
        "num_heads": H,
        "num_kv_heads": K,
        "projection": {"kind": "given", **{n: w.numpy() for n, w in weights_given.items()}},
        "masks": [{"kind": "causal"}],
        "dtype": "float64",
    }
    answer = tensors(spec)
    np.testing.assert_allclose(answer["weights"], weights.numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["output"], output.numpy(), rtol=0, atol=1e-6)
    assert answer["k"].shape == answer["v"].shape == (B, K, T, D)
