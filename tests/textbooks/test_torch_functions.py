"""torch's own attention: two functions whose boolean masks mean opposite things."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from tests.conftest import Tensors

B, H, T, S, D, Dv = 2, 6, 5, 7, 11, 13


def direct(q: Tensor, k: Tensor, v: Tensor, *masks: dict[str, Any]) -> dict[str, Any]:
    return {"q": q.numpy(), "k": k.numpy(), "v": v.numpy(), "masks": list(masks)}


def heads(kv_heads: int = H) -> tuple[Tensor, Tensor, Tensor]:
    torch.manual_seed(31)
    return torch.randn(B, H, T, D), torch.randn(B, kv_heads, S, D), torch.randn(B, kv_heads, S, Dv)


def random_mask() -> Tensor:
    torch.manual_seed(37)
    mask = torch.rand(B, 1, T, S) < 0.5
    mask[..., 2] = True
    return mask


def test_scaled_dot_product_attention_reads_true_as_allowed(
    tensors: Callable[..., Tensors],
) -> None:
    q, k, v = heads()
    mask = random_mask()
    expected = scaled_dot_product_attention(q, k, v, attn_mask=mask)
    wanted = {"kind": "matrix", "values": mask.numpy(), "convention": "allowed"}
    np.testing.assert_allclose(
        tensors(direct(q, k, v, wanted))["heads"], expected.numpy(), rtol=0, atol=1e-6
    )
    opposite = {**wanted, "convention": "blocked"}
    turned = tensors(direct(q, k, v, opposite))["heads"]
    assert np.abs(turned - expected.numpy()).max() > 0.1


def test_scaled_dot_product_attention_gives_blind_rows_zero(
    tensors: Callable[..., Tensors],
) -> None:
    q, k, v = heads()
    mask = random_mask()
    mask[1, 0, 3] = False
    expected = scaled_dot_product_attention(q, k, v, attn_mask=mask)
    assert (expected[1, :, 3] == 0).all()
    wanted = {"kind": "matrix", "values": mask.numpy(), "convention": "allowed"}
    answer = tensors(direct(q, k, v, wanted))
    np.testing.assert_allclose(answer["heads"], expected.numpy(), rtol=0, atol=1e-6)


def test_scaled_dot_product_attention_is_causal_from_the_top_left(
    tensors: Callable[..., Tensors],
) -> None:
    q, k, v = heads()
    expected = scaled_dot_product_attention(q, k, v, is_causal=True)
    answer = tensors(direct(q, k, v, {"kind": "causal"}))
    np.testing.assert_allclose(answer["heads"], expected.numpy(), rtol=0, atol=1e-6)
    corner = tensors(direct(q, k, v, {"kind": "causal", "alignment": "bottom_right"}))
    assert np.abs(corner["heads"] - expected.numpy()).max() > 0.1


@pytest.mark.parametrize("kv_heads", [1, 2, 3, 6])
def test_scaled_dot_product_attention_groups_query_heads_as_we_do(
    tensors: Callable[..., Tensors], kv_heads: int
) -> None:
    q, k, v = heads(kv_heads)
    expected = scaled_dot_product_attention(q, k, v, enable_gqa=True)
    answer = tensors(direct(q, k, v))
    np.testing.assert_allclose(answer["heads"], expected.numpy(), rtol=0, atol=1e-6)


def test_scaled_dot_product_attention_adds_a_float_mask_and_takes_a_scale(
    tensors: Callable[..., Tensors],
) -> None:
    q, k, v = heads()
    torch.manual_seed(41)
    mask = torch.randn(H, T, S).masked_fill(torch.rand(H, T, S) < 0.3, -torch.inf)
    mask[..., 2] = 0.5
    expected = scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=0.7)
    wanted = {"kind": "matrix", "values": mask.numpy(), "convention": "additive"}
    answer = tensors({**direct(q, k, v, wanted), "scale": 0.7})
    np.testing.assert_allclose(answer["heads"], expected.numpy(), rtol=0, atol=1e-6)


def module_projection(module: nn.MultiheadAttention) -> dict[str, Any]:
    given: dict[str, Any] = {"kind": "given"}
    weights = module.in_proj_weight.detach().chunk(3)
    biases = module.in_proj_bias.detach().chunk(3)
    for name, weight, bias in zip("qkv", weights, biases, strict=True):
        given[f"w_{name}"], given[f"b_{name}"] = weight.numpy(), bias.numpy()
    given["w_o"] = module.out_proj.weight.detach().numpy()
    given["b_o"] = module.out_proj.bias.detach().numpy()
    return given


@pytest.fixture
def module() -> nn.MultiheadAttention:
    torch.manual_seed(43)
    built = nn.MultiheadAttention(21, 3, batch_first=True).eval()
    nn.init.normal_(built.in_proj_bias)
    nn.init.normal_(built.out_proj.bias)
    return built


def test_multihead_attention_reads_true_as_blocked(
    tensors: Callable[..., Tensors], module: nn.MultiheadAttention
) -> None:
    x = torch.randn(B, T, 21)
    blocked = torch.ones(T, T, dtype=torch.bool).triu(1)
    padded = torch.tensor([[False] * 5, [False, False, False, True, True]])
    with torch.no_grad():
        output, weights = module(
            x, x, x, attn_mask=blocked, key_padding_mask=padded, average_attn_weights=False
        )
    spec = {
        "x": x.numpy(),
        "num_heads": 3,
        "projection": module_projection(module),
        "masks": [
            {"kind": "matrix", "values": blocked.numpy(), "convention": "blocked"},
            {"kind": "padding", "lengths": [5, 3]},
        ],
    }
    answer = tensors(spec)
    np.testing.assert_allclose(answer["weights"], weights.numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["output"], output.numpy(), rtol=0, atol=1e-6)


def test_multihead_attention_over_a_memory_is_cross_attention(
    tensors: Callable[..., Tensors], module: nn.MultiheadAttention
) -> None:
    x, memory = torch.randn(B, T, 21), torch.randn(B, S, 21)
    with torch.no_grad():
        output, weights = module(x, memory, memory, average_attn_weights=False)
    spec = {
        "x": x.numpy(),
        "memory": memory.numpy(),
        "num_heads": 3,
        "projection": module_projection(module),
    }
    answer = tensors(spec)
    np.testing.assert_allclose(answer["weights"], weights.numpy(), rtol=0, atol=1e-6)
    np.testing.assert_allclose(answer["output"], output.numpy(), rtol=0, atol=1e-6)
