"""Second way: a bare function of (q, k, v, allowed) that returns output and weights."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from tests.conftest import Tensors

B, H, T, S, D, Dv = 2, 3, 5, 7, 11, 13


def attention(q: Tensor, k: Tensor, v: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """True in the mask means *may read*."""
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
    scores = torch.where(allowed, scores, torch.tensor(-math.inf))
    weights = scores.softmax(dim=-1)
    return torch.matmul(weights, v), weights


def test_a_bare_function_with_an_allowed_mask_is_matched(
    tensors: Callable[..., Tensors],
) -> None:
    torch.manual_seed(17)
    q, k, v = torch.randn(B, H, T, D), torch.randn(B, H, S, D), torch.randn(B, H, S, Dv)
    allowed = torch.rand(B, H, T, S) < 0.5
    allowed[..., 3] = True
    output, weights = attention(q, k, v, allowed)

    spec = {
        "q": q.numpy(),
        "k": k.numpy(),
        "v": v.numpy(),
        "masks": [{"kind": "matrix", "values": allowed.numpy(), "convention": "allowed"}],
    }
    answer = tensors(spec)
    np.testing.assert_allclose(answer["weights"], weights.numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["heads"], output.numpy(), rtol=0, atol=1e-6)
    merged = output.transpose(1, 2).reshape(B, T, H * Dv)
    np.testing.assert_allclose(answer["output"], merged.numpy(), rtol=0, atol=1e-6)


def test_a_bare_function_on_one_unbatched_head_is_matched(
    tensors: Callable[..., Tensors],
) -> None:
    torch.manual_seed(19)
    q, k, v = torch.randn(T, D), torch.randn(S, D), torch.randn(S, Dv)
    allowed = torch.ones(T, S, dtype=torch.bool).tril()
    output, weights = attention(q, k, v, allowed)

    mask = {"kind": "matrix", "values": allowed.numpy(), "convention": "allowed"}
    answer = tensors({"q": q.numpy(), "k": k.numpy(), "v": v.numpy(), "masks": [mask]})
    np.testing.assert_allclose(answer["weights"][0, 0], weights.numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["output"][0], output.numpy(), rtol=0, atol=1e-6)
