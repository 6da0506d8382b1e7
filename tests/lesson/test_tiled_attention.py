"""Attention tile by tile, against torch's own function and the run's whole matrix."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from attention import SpecificationError, attend, tiled_attention
from tests.properties.specifications import specifications
from tests.reference import attention

B, H, K, T, S, D, DV = 2, 6, 3, 11, 13, 5, 7
Spec = dict[str, Any]


def heads() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    torch.manual_seed(41)
    return torch.randn(B, H, T, D), torch.randn(B, K, S, D), torch.randn(B, K, S, DV)


@pytest.mark.parametrize("tile", [1, 2, 3, 5, 11, 13, 64])
def test_tiles_of_any_size_give_what_torchs_function_gives(tile: int) -> None:
    q, k, v = heads()
    mask = torch.rand(B, 1, T, S) < 0.6
    mask[..., 4] = True
    expected = scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)
    said = {"kind": "matrix", "values": mask, "convention": "allowed"}
    found = tiled_attention(attend(q=q, k=k, v=v, masks=[said]), tile)
    torch.testing.assert_close(found.heads, expected, rtol=0, atol=2e-6)
    torch.testing.assert_close(found.full, expected, rtol=0, atol=2e-6)


def test_a_tile_is_all_that_is_held_at_once() -> None:
    q, k, v = heads()
    found = tiled_attention(attend(q=q, k=k, v=v), 4)
    assert (found.tiles, found.cells) == (3 * 4, 16)
    whole = tiled_attention(attend(q=q, k=k, v=v), 64)
    assert (whole.tiles, whole.cells) == (1, T * S)


def test_scores_that_rise_from_tile_to_tile_are_shared_out_right() -> None:
    """Each tile's largest score is far above the last: exp of it alone would overflow."""
    q, k = torch.ones(1, 1), torch.tensor([[100.0 * n] for n in range(9)])
    v = torch.eye(9)
    found = tiled_attention(attend(q=q, k=k, v=v, scale=1.0), 2)
    expected = torch.zeros(9)
    expected[8] = 1
    torch.testing.assert_close(found.heads[0, 0, 0], expected, rtol=0, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(specifications(), st.sampled_from([1, 2, 3, 5]))
def test_every_specification_gives_the_references_heads(spec: Spec, tile: int) -> None:
    found = tiled_attention(attend(**spec), tile)
    expected = attention(spec)["heads"]
    np.testing.assert_allclose(found.heads.numpy(), expected, rtol=1e-9, atol=1e-9)


def test_too_many_tiles_are_refused_with_the_number() -> None:
    q = torch.zeros(65, 2)
    with pytest.raises(SpecificationError, match="at most 4096 tiles") as refused:
        tiled_attention(attend(q=q, k=q, v=q), 1)
    assert refused.value.loc == ("tile",)
