"""First way: a module with biased projections, called on (query, memory, blocked)."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from tests.conftest import Tensors

B, T, S, E, H = 2, 3, 5, 12, 4


class QueryMemoryAttention(nn.Module):
    """Keys and values come from the memory; True in the mask means *may not read*."""

    def __init__(self, model_width: int, head_count: int) -> None:
        super().__init__()
        self.head_count = head_count
        self.query = nn.Linear(model_width, model_width)
        self.key = nn.Linear(model_width, model_width)
        self.value = nn.Linear(model_width, model_width)
        self.out = nn.Linear(model_width, model_width)

    def split(self, rows: Tensor) -> Tensor:
        batch, length, width = rows.shape
        cut = rows.view(batch, length, self.head_count, width // self.head_count)
        return cut.transpose(1, 2)

    def forward(self, query: Tensor, memory: Tensor, blocked: Tensor) -> tuple[Tensor, Tensor]:
        q = self.split(self.query(query))
        k = self.split(self.key(memory))
        v = self.split(self.value(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        scores = scores.masked_fill(blocked, -math.inf)
        weights = torch.softmax(scores, dim=-1)
        mixed = (weights @ v).transpose(1, 2).flatten(2)
        return self.out(mixed), weights


def projection_of(module: QueryMemoryAttention) -> dict[str, object]:
    parts = {"q": module.query, "k": module.key, "v": module.value, "o": module.out}
    given: dict[str, object] = {"kind": "given"}
    for name, linear in parts.items():
        given[f"w_{name}"] = linear.weight.detach().numpy()
        given[f"b_{name}"] = linear.bias.detach().numpy()
    return given


def test_a_module_called_on_query_and_memory_with_a_blocked_mask_is_matched(
    tensors: Callable[..., Tensors],
) -> None:
    torch.manual_seed(11)
    module = QueryMemoryAttention(E, H)
    query, memory = torch.randn(B, T, E), torch.randn(B, S, E)
    blocked = torch.rand(B, 1, T, S) < 0.4
    blocked[..., 0] = False  # every query keeps a key, or this module answers NaN
    with torch.no_grad():
        output, weights = module(query, memory, blocked)
    assert blocked.any()

    spec = {
        "x": query.numpy(),
        "memory": memory.numpy(),
        "num_heads": H,
        "projection": projection_of(module),
        "masks": [{"kind": "matrix", "values": blocked.numpy(), "convention": "blocked"}],
    }
    answer = tensors(spec)
    np.testing.assert_allclose(answer["weights"], weights.numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["output"], output.numpy(), rtol=0, atol=1e-6)


def test_a_query_that_is_blocked_everywhere_is_nan_under_the_plain_formula(
    tensors: Callable[..., Tensors],
) -> None:
    torch.manual_seed(13)
    module = QueryMemoryAttention(E, H)
    query, memory = torch.randn(B, T, E), torch.randn(B, S, E)
    blocked = torch.zeros(B, 1, T, S, dtype=torch.bool)
    blocked[1, 0, 2] = True
    with torch.no_grad():
        output, weights = module(query, memory, blocked)
    assert torch.isnan(output[1, 2]).all()

    spec = {
        "x": query.numpy(),
        "memory": memory.numpy(),
        "num_heads": H,
        "projection": projection_of(module),
        "masks": [{"kind": "matrix", "values": blocked.numpy(), "convention": "blocked"}],
        "fully_masked": "nan",
    }
    answer = tensors(spec)
    np.testing.assert_allclose(answer["weights"], weights.numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["output"], output.numpy(), rtol=0, atol=1e-6)
