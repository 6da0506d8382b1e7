"""Mistakes with heads given directly, across two sequences, and at lengths that are probed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from fastapi.testclient import TestClient
from torch import Tensor
from torch.nn import MultiheadAttention
from torch.nn.functional import scaled_dot_product_attention

from tests.checking.asking import checked

B, H, K, D, DV = 2, 6, 3, 5, 7
CAUSAL: dict[str, Any] = {"kind": "causal"}


def heads(T: int, S: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    draw = torch.Generator().manual_seed(seed)
    sizes = ((B, H, T, D), (B, K, S, D), (B, K, S, DV))
    q, k, v = (torch.randn(*size, generator=draw) for size in sizes)
    return q, k, v


def said(q: Tensor, k: Tensor, v: Tensor, **more: Any) -> dict[str, Any]:
    return {"q": q.numpy(), "k": k.numpy(), "v": v.numpy(), **more}


def first(client: TestClient, spec: Any, expected: dict[str, Tensor]) -> Any:
    answer = checked(client, spec, {name: t.numpy() for name, t in expected.items()})
    assert not answer["pass"]
    assert answer["causes"], "nothing was found"
    return answer["causes"][0]


def merged(out: Tensor) -> Tensor:
    return out.transpose(1, 2).flatten(2)


def test_tiled_kv_heads_are_said_as_as_many_kv_heads_as_query_heads(client: TestClient) -> None:
    q, k, v = heads(7, 11)
    out = scaled_dot_product_attention(q, k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1))
    spec = said(q, k, v)
    cause = first(client, spec, {"output": merged(out)})
    assert cause["mistake"] == "kv_heads_tiled"
    assert cause["fields"]["num_kv_heads"] == H
    assert checked(client, spec | cause["fields"], {"output": merged(out).numpy()})["pass"]


def test_fused_kernel_with_fewer_queries_than_keys_lines_up_the_top_left(
    client: TestClient,
) -> None:
    q, k, v = heads(3, 11)
    out = scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
    spec = said(q, k, v, masks=[CAUSAL | {"alignment": "bottom_right"}])
    cause = first(client, spec, {"heads": out})
    assert cause["mistake"] == "causal_alignment"
    assert cause["fields"]["masks"] == [{"kind": "causal", "offset": 0}]


def test_scale_of_the_value_width_is_not_that_of_the_model(client: TestClient) -> None:
    q, k, v = heads(7, 11)
    out = scaled_dot_product_attention(q, k, v, scale=DV**-0.5, enable_gqa=True)
    cause = first(client, said(q, k, v), {"heads": out})
    assert cause["mistake"] == "scale_value_width"


@pytest.mark.parametrize("mask", ["attn_mask", "key_padding_mask"])
def test_masks_of_multihead_attention_have_the_other_meaning(client: TestClient, mask: str) -> None:
    """True blocks there: a mask of what may be read gives NaN or the other keys."""
    torch.manual_seed(1)
    layer = MultiheadAttention(30, 3, batch_first=True).eval()
    x = torch.randn(B, 7, 30)
    keep = torch.arange(7)[None] < torch.tensor([5, 4])[:, None]
    lower = torch.ones(7, 7, dtype=torch.bool).tril()
    masks = {"key_padding_mask": keep} if mask == "key_padding_mask" else {"attn_mask": lower}
    with torch.no_grad():
        output, weights = layer(x, x, x, average_attn_weights=False, **masks)
    w_q, w_k, w_v = (w.detach().numpy() for w in layer.in_proj_weight.chunk(3))
    spec: dict[str, Any] = {
        "x": x.numpy(),
        "num_heads": 3,
        "projection": {
            "kind": "given",
            "w_q": w_q,
            "w_k": w_k,
            "w_v": w_v,
            "w_o": layer.out_proj.weight.detach().numpy(),
        },
        "masks": [CAUSAL if mask == "attn_mask" else {"kind": "padding", "lengths": [5, 4]}],
    }
    cause = first(client, spec, {"weights": weights, "output": output})
    assert cause["mistake"] == "mask_inverted"
    with torch.no_grad():
        _, averaged = layer(x, x, x)
    unmasked = {**spec, "masks": []}
    assert first(client, unmasked, {"weights": averaged})["mistake"] == "heads_averaged"


def test_batch_first_left_out_is_named(client: TestClient) -> None:
    torch.manual_seed(2)
    layer = MultiheadAttention(30, 3, bias=False).eval()
    x = torch.randn(B, 7, 30)
    with torch.no_grad():
        output, _ = layer(x, x, x)
    parts = zip("qkv", layer.in_proj_weight.chunk(3), strict=True)
    names = {f"w_{n}": w.detach().numpy() for n, w in parts}
    names["w_o"] = layer.out_proj.weight.detach().numpy()
    spec = {"x": x.numpy(), "num_heads": 3, "projection": {"kind": "given", **names}}
    assert first(client, spec, {"output": output})["mistake"] == "batch_axis_swapped"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("scale_missing", lambda q, k, m: (q @ k.mT).masked_fill(~m, -torch.inf).softmax(-1)),
        ("mask_missing", lambda q, k, m: (q @ k.mT * D**-0.5).softmax(-1)),
        ("mask_inverted", lambda q, k, m: (q @ k.mT * D**-0.5).masked_fill(m, -1e9).softmax(-1)),
        (
            "scale_missing+softmax_wrong_axis",
            lambda q, k, m: (q @ k.mT).masked_fill(~m, -torch.inf).softmax(-2),
        ),
    ],
)
def test_long_sequences_are_probed_and_then_checked_whole(
    client: TestClient, name: str, wrong: Any
) -> None:
    q, k, v = heads(101, 101, seed=3)
    full = k.repeat_interleave(2, 1)
    weights = wrong(q, full, torch.ones(101, 101, dtype=torch.bool).tril())
    spec = said(q, k, v, masks=[CAUSAL])
    cause = first(client, spec, {"weights": weights})
    assert cause["mistake"] == name
    spoilt = weights.clone()
    spoilt[0, 0, 3, 1] += 0.25
    answer = checked(client, spec, {"weights": spoilt.numpy()})
    assert answer["causes"] == []


def test_random_weights_of_the_specification_can_be_the_ones_transposed(
    client: TestClient,
) -> None:
    """The seeded weights are written out in what to change."""
    x = np.random.default_rng(5).standard_normal((7, 15))
    spec = {"x": x, "num_heads": 3, "projection": {"kind": "random", "seed": 11}}
    answer = client.post("/api/export", json={"spec": listed_spec(spec), "format": "json"})
    right = np.array(answer.json()["tensors"]["output"])
    assert checked(client, spec, {"output": right})["pass"]
    seeded = np.random.RandomState([6, 11]).standard_normal((15, 15)) / np.sqrt(15)
    bias = np.random.RandomState([7, 11]).standard_normal(15) / np.sqrt(15)
    before = (right - bias) @ np.linalg.inv(seeded.T)
    wrong = before @ seeded + bias
    cause = checked(client, spec, {"output": wrong}, rtol=1e-3, atol=1e-3)["causes"][0]
    assert cause["mistake"] == "weight_transposed"
    np.testing.assert_allclose(cause["fields"]["projection"]["w_o"], seeded.T, rtol=1e-5)


def listed_spec(spec: dict[str, Any]) -> dict[str, Any]:
    return spec | {"x": spec["x"].tolist()}
