"""PyTorch's own modules and plain functions."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
from torch.nn.functional import scaled_dot_product_attention

from attention import Calls, SpecificationError, capture

N, T, S, E, H = 2, 5, 7, 12, 3
OPTIONS: list[dict[str, Any]] = [
    {}, {"bias": False}, {"add_bias_kv": True}, {"add_zero_attn": True}, {"kdim": 6, "vdim": 10},
]  # fmt: skip


def inputs(**options: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    kdim, vdim = options.get("kdim", E), options.get("vdim", E)
    return torch.randn(N, T, E), torch.randn(N, S, kdim), torch.randn(N, S, vdim)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: next(iter(o), "plain"))
@pytest.mark.parametrize("need_weights", [True, False])
@torch.no_grad()
def test_multihead_attention_is_recorded_with_its_weights(
    options: dict[str, Any], need_weights: bool
) -> None:
    torch.manual_seed(0)
    module = nn.MultiheadAttention(E, H, batch_first=True, **options).eval()
    padding = torch.zeros(N, S, dtype=torch.bool)
    padding[1, -2:] = True
    blocked = torch.rand(N * H, T, S) > 0.7
    blocked[..., 0] = False
    q, k, v = inputs(**options)
    masks = {"key_padding_mask": padding, "attn_mask": blocked}
    _, expected = module(q, k, v, average_attn_weights=False, **masks)
    with capture(module) as calls:
        module(q, k, v, need_weights=need_weights, average_attn_weights=False, **masks)
    torch.testing.assert_close(calls[0].attend().weights, expected, rtol=1e-5, atol=1e-6)


@torch.no_grad()
def test_an_encoder_on_its_fast_path_is_recorded_layer_by_layer() -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(E, H, 16, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    x, _, _ = inputs()
    fast = encoder(x)
    with capture(encoder) as calls:
        out = encoder(x)
    torch.testing.assert_close(out, fast, rtol=1e-5, atol=1e-6)
    assert [call.module for call in calls] == ["layers.0.self_attn", "layers.1.self_attn"]


@pytest.mark.parametrize("kind", ["boolean", "additive", "causal", "none"])
@torch.no_grad()
def test_a_fused_call_says_its_mask_scale_and_groups(kind: str) -> None:
    torch.manual_seed(0)
    q, k, v = torch.randn(N, 6, T, 4), torch.randn(N, 2, S, 4), torch.randn(N, 2, S, 8)
    keep = torch.rand(N, 1, T, S) > 0.3
    keep[..., 0] = True
    arguments: dict[str, Any] = {
        "boolean": {"attn_mask": keep},
        "additive": {"attn_mask": torch.randn(T, S)},
        "causal": {"is_causal": True},
        "none": {},
    }[kind]
    with capture() as calls:
        out = scaled_dot_product_attention(q, k, v, scale=0.3, enable_gqa=True, **arguments)
    result = calls[0].attend()
    assert (result.layout.H, result.layout.K) == (6, 2)
    torch.testing.assert_close(result.heads, out, rtol=1e-5, atol=1e-6)


@torch.no_grad()
def test_three_and_five_axes_keep_their_masks() -> None:
    for lead in ((2,), (2, 3, 4)):
        q, k = torch.randn(*lead, T, 4), torch.randn(*lead, S, 4)
        mask = torch.rand(*lead, T, S) > 0.2
        mask[..., 0] = True
        with capture() as calls:
            out = scaled_dot_product_attention(q, k, k, attn_mask=mask)
        heads = calls[0].attend().heads
        torch.testing.assert_close(heads.reshape(out.shape), out, rtol=1e-5, atol=1e-6)


def test_a_mask_shared_by_the_heads_is_recorded_once() -> None:
    q = torch.randn(2, 8, T, 4)
    mask = torch.ones(2, 1, T, T, dtype=torch.bool)
    with torch.no_grad(), capture() as calls:
        scaled_dot_product_attention(q, q, q, attn_mask=mask)
    assert calls[0].tensor("mask.0").shape == (2, 1, T, T)


@torch.no_grad()
def test_calls_outside_the_model_are_left_out() -> None:
    module = nn.MultiheadAttention(E, H).eval()
    q = torch.randn(1, H, T, 4)
    with pytest.warns(UserWarning, match="no attention was recorded"), capture(module) as calls:
        scaled_dot_product_attention(q, q, q)
    assert len(calls) == 0


@pytest.mark.parametrize("corner", [causal_upper_left, causal_lower_right])
def test_a_causal_bias_is_recorded_as_the_mask_that_it_stands_for(corner: Any) -> None:
    torch.manual_seed(0)
    q, k = torch.randn(N, H, T, 4), torch.randn(N, H, S, 4)
    with torch.no_grad(), capture() as calls:
        out = scaled_dot_product_attention(q, k, k, attn_mask=corner(T, S))
    torch.testing.assert_close(calls[0].attend().heads, out, rtol=1e-5, atol=1e-6)


def test_one_sequence_of_keys_for_a_whole_batch_is_recorded_for_each() -> None:
    torch.manual_seed(0)
    q, k = torch.randn(N, H, T, 4), torch.randn(1, H, S, 4)
    with torch.no_grad(), capture() as calls:
        out = scaled_dot_product_attention(q, k, k)
    torch.testing.assert_close(calls[0].attend().heads, out, rtol=1e-5, atol=1e-6)


def test_nested_tensors_are_refused_by_name() -> None:
    nested = torch.nested.nested_tensor([torch.randn(H, 5, 4), torch.randn(H, 3, 4)])
    with pytest.raises(SpecificationError, match="nested tensors"), capture():
        scaled_dot_product_attention(nested, nested, nested)


@pytest.mark.filterwarnings("ignore:Using `torch.compile:UserWarning")
@torch.no_grad()
def test_a_compiled_model_is_recorded_as_it_was_written() -> None:
    torch.manual_seed(0)
    encoder = nn.TransformerEncoderLayer(E, H, 16, batch_first=True).eval()
    x, _, _ = inputs()
    with capture(encoder) as plain:
        encoder(x)
    compiled = torch.compile(encoder, backend="eager")
    with capture(compiled) as calls:
        compiled(x)
    assert [call.module for call in calls] == [call.module for call in plain] == ["self_attn"]
    torch.testing.assert_close(calls[0].attend().weights, plain[0].attend().weights)


def test_nothing_stays_hooked_after_an_error() -> None:
    module = nn.MultiheadAttention(E, H).eval()
    with pytest.raises(RuntimeError, match="stop"), capture(module) as calls:
        raise RuntimeError("stop")
    module(*(torch.randn(T, N, E),) * 3)
    assert len(calls) == 0


def test_the_command_records_a_script(tmp_path: Path) -> None:
    script = tmp_path / "model.py"
    (tmp_path / "beside.py").write_text("WIDTH = 8\n")
    script.write_text(
        "import sys, torch\n"
        "from beside import WIDTH\n"
        "layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()\n"
        "layer(torch.randn(1, int(sys.argv[1]), WIDTH))\n"
        "sys.exit(3)\n"
    )
    run = tmp_path / "run.safetensors"
    command = [sys.executable, "-m", "attention", "capture", str(run), str(script), "5"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 3, done.stderr
    assert "1 attention call(s)" in done.stdout
    (call,) = Calls.load(run)
    assert call.module == "self_attn" and call.tensor("q").shape == (1, 2, 5, 4)


def test_a_file_that_is_no_run_is_refused(tmp_path: Path) -> None:
    from safetensors.torch import save_file

    save_file({"x": torch.ones(2)}, tmp_path / "other.safetensors")
    with pytest.raises(SpecificationError, match="header"):
        Calls.load(tmp_path / "other.safetensors")
