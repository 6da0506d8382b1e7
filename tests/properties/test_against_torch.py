"""Random cases against torch's own attention, in float64."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from attention import attend
from tests.properties.specifications import Shape, generators, shapes

CLOSE = {"rtol": 0, "atol": 1e-10, "equal_nan": True}


def tensor(rng: np.random.Generator, *shape: int) -> torch.Tensor:
    return torch.from_numpy(rng.normal(size=shape))


@settings(max_examples=60, deadline=None)
@given(shape=shapes(), rng=generators(), scale=st.sampled_from([None, 1.0, 0.3]))
def test_scaled_dot_product_attention_agrees_on_boolean_masks(
    shape: Shape, rng: np.random.Generator, scale: float | None
) -> None:
    B, T, N, _, H, K, D, Dv = shape
    q, k, v = tensor(rng, B, H, T, D), tensor(rng, B, K, N, D), tensor(rng, B, K, N, Dv)
    mask = torch.from_numpy(rng.random((B, 1, T, N)) < 0.6)
    theirs = scaled_dot_product_attention(q, k, v, attn_mask=mask, scale=scale, enable_gqa=True)
    matrix = {"kind": "matrix", "values": mask, "convention": "allowed"}
    fields = {} if scale is None else {"scale": scale}
    ours = attend(q=q, k=k, v=v, masks=[matrix], dtype="float64", **fields)
    torch.testing.assert_close(ours.heads, theirs, **CLOSE)


@settings(max_examples=40, deadline=None)
@given(shape=shapes(), rng=generators())
def test_scaled_dot_product_attention_agrees_on_causal(
    shape: Shape, rng: np.random.Generator
) -> None:
    B, T, N, _, H, K, D, Dv = shape
    q, k, v = tensor(rng, B, H, T, D), tensor(rng, B, K, N, D), tensor(rng, B, K, N, Dv)
    theirs = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    ours = attend(q=q, k=k, v=v, masks=[{"kind": "causal"}], dtype="float64")
    torch.testing.assert_close(ours.heads, theirs, **CLOSE)


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.tuples(*(st.sampled_from([1, 2, 3, 5]) for _ in "BTSHD")),
    rng=generators(),
    bias=st.booleans(),
)
def test_multihead_attention_agrees_on_weights_and_output(
    sizes: tuple[int, ...], rng: np.random.Generator, bias: bool
) -> None:
    B, T, S, H, D = sizes
    E, E_memory = H * D, 7
    module = nn.MultiheadAttention(
        E, H, bias=bias, kdim=E_memory, vdim=E_memory, batch_first=True, dtype=torch.float64
    )
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(tensor(rng, *parameter.shape))
    given_weights = {"kind": "given", "w_o": module.out_proj.weight}
    for name in "qkv":
        given_weights[f"w_{name}"] = getattr(module, f"{name}_proj_weight")
    if bias:
        given_weights["b_o"] = module.out_proj.bias
        parts = zip("qkv", module.in_proj_bias.chunk(3), strict=True)
        given_weights.update({f"b_{name}": part for name, part in parts})

    x, memory = tensor(rng, B, T, E), tensor(rng, B, S, E_memory)
    blocked = torch.from_numpy(rng.random((T, S)) < 0.4)
    lengths = torch.from_numpy(rng.integers(1, S + 1, size=B))
    padded = torch.arange(S) >= lengths[:, None]
    with torch.no_grad():
        output, weights = module(
            x,
            memory,
            memory,
            attn_mask=blocked,
            key_padding_mask=padded,
            average_attn_weights=False,
        )
    detached = {n: w.detach() if torch.is_tensor(w) else w for n, w in given_weights.items()}
    ours = attend(
        x,
        memory=memory,
        num_heads=H,
        projection=detached,
        masks=[
            {"kind": "matrix", "values": blocked, "convention": "blocked"},
            {"kind": "padding", "lengths": lengths},
        ],
        fully_masked="nan",
        dtype="float64",
    )
    torch.testing.assert_close(ours.weights, weights, **CLOSE)
    torch.testing.assert_close(ours.output, output, **CLOSE)
