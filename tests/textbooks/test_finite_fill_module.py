"""Third way: a module with W_q, W_k, W_v and W_o whose mask writes -1e9 over the scores."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.conftest import Tensors

B, T, E, H = 2, 7, 15, 3


class MultiHeadAttention(nn.Module):
    """Zero in the mask means *may not read*; a finite fill keeps blind rows away from NaN."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.d_k = num_heads, d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split_heads(self, x: Tensor) -> Tensor:
        return x.reshape(x.size(0), x.size(1), self.num_heads, self.d_k).permute(0, 2, 1, 3)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        q, k, v = (
            self.split_heads(w(x))
            for w, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        scores = torch.einsum("bhtd,bhsd->bhts", q, k) / self.d_k**0.5
        weights = scores.masked_fill(mask == 0, -1e9).softmax(-1)
        joined = torch.einsum("bhts,bhsd->bthd", weights, v).reshape(query.shape)
        return self.W_o(joined), weights


def spec_of(module: MultiHeadAttention, x: Tensor, mask: Tensor) -> dict[str, object]:
    projection: dict[str, object] = {"kind": "given"}
    for name in "qkvo":
        linear = getattr(module, f"W_{name}")
        projection[f"w_{name}"] = linear.weight.detach().numpy()
        projection[f"b_{name}"] = linear.bias.detach().numpy()
    return {
        "x": x.numpy(),
        "num_heads": H,
        "projection": projection,
        "masks": [{"kind": "matrix", "values": mask.numpy(), "convention": "allowed"}],
        "fill": -1e9,
        "fully_masked": "uniform",
    }


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_module_that_fills_with_minus_one_billion_is_matched(
    tensors: Callable[..., Tensors], dtype: str
) -> None:
    torch.manual_seed(23)
    module = MultiHeadAttention(E, H).to(getattr(torch, dtype))
    x = torch.randn(B, T, E, dtype=getattr(torch, dtype))
    mask = torch.ones(T, T, dtype=torch.int64).tril().expand(B, 1, T, T).clone()
    mask[1, :, :, :2] = 0  # left padding: the first two queries of item 1 see nothing
    with torch.no_grad():
        output, weights = module(x, x, x, mask)
    np.testing.assert_allclose(weights[1, :, 0].numpy(), 1 / T, rtol=1e-6)

    answer = tensors({**spec_of(module, x, mask), "dtype": dtype})
    np.testing.assert_allclose(answer["weights"], weights.numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["output"], output.numpy(), rtol=0, atol=1e-6)
    assert (
        answer["masked_scores"][np.broadcast_to(mask.numpy() == 0, weights.shape)] == -1e9
    ).all()
