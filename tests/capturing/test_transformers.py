"""Models of the transformers library, unchanged and on their default attention.

The expected weights are the model's own eager ones.
"""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2Model,
    LlamaConfig,
    LlamaModel,
)

from attention import Calls, capture

WIDTHS = {"vocab_size": 50, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
IDS = torch.randint(0, 50, (2, 7), generator=torch.Generator().manual_seed(1))
LEFT = torch.tensor([[1] * 7, [0, 0, 0, 1, 1, 1, 1]])


def llama() -> Any:
    return LlamaModel(LlamaConfig(**WIDTHS, intermediate_size=16, num_key_value_heads=2))


def bert() -> Any:
    return BertModel(BertConfig(**WIDTHS, intermediate_size=16))


def gpt2() -> Any:
    config = GPT2Config(
        vocab_size=50, n_embd=32, n_layer=3, n_head=4, bos_token_id=0, eos_token_id=0
    )
    return GPT2Model(config)


def eager_weights(model: Any, inputs: dict[str, Any]) -> Any:
    model.set_attn_implementation("eager")
    weights = model(**inputs, output_attentions=True).attentions
    model.set_attn_implementation("sdpa")
    return weights


@pytest.mark.parametrize("build", [llama, bert, gpt2])
@pytest.mark.parametrize("mask", [None, LEFT], ids=["whole", "left-padded"])
@torch.no_grad()
def test_captured_calls_give_the_models_own_weights(build: Any, mask: Any) -> None:
    torch.manual_seed(0)
    model = build().eval()
    inputs = {"input_ids": IDS} | ({} if mask is None else {"attention_mask": mask})
    plain = model(**inputs)[0]
    with capture(model) as calls:
        seen = model(**inputs)[0]
    assert torch.equal(plain, seen)
    assert [call.function for call in calls] == ["scaled_dot_product_attention"] * 3
    assert all(str(i) in call.module.split(".") for i, call in enumerate(calls))
    real = torch.ones(2, 7, dtype=torch.bool) if mask is None else mask.bool()
    for call, expected in zip(calls, eager_weights(model, inputs), strict=True):
        weights = call.attend().weights
        rows = real[:, None, :, None].expand_as(expected)
        torch.testing.assert_close(weights[rows], expected[rows], rtol=1e-5, atol=1e-6)


@torch.no_grad()
def test_a_cache_is_part_of_the_recorded_keys() -> None:
    torch.manual_seed(0)
    model = llama().eval()
    cached = model(input_ids=IDS[:, :-1], use_cache=True).past_key_values
    with capture(model, layers=[1]) as calls:
        model(input_ids=IDS[:, -1:], cache=cached, use_cache=True)
    (call,) = calls
    assert call.module == "layers.1.self_attn"
    result = call.attend()
    assert (result.layout.T, result.layout.S, result.layout.K) == (1, 7, 2)
    whole = eager_weights(model, {"input_ids": IDS})[1]
    torch.testing.assert_close(result.weights[:, :, 0], whole[:, :, -1], rtol=1e-4, atol=1e-5)


@torch.no_grad()
def test_repeated_kv_heads_are_recorded_once() -> None:
    torch.manual_seed(0)
    model = llama().eval()
    with capture(model) as calls:
        model(input_ids=IDS, attention_mask=LEFT)
    assert {call.options["kv_repeated"] for call in calls} == {2}
    assert calls[0].tensor("k").shape[1] == 2
    assert calls[0].attend().layout.kind == "gqa"


@torch.no_grad()
def test_a_saved_run_opens_again(tmp_path: Path) -> None:
    model = bert().eval()
    with capture(model, layers=["*.0.*", "*.2.*"]) as calls:
        model(input_ids=IDS, attention_mask=LEFT)
    calls.save(tmp_path / "run.safetensors")
    again = Calls.load(tmp_path / "run.safetensors")
    assert [call.module for call in again] == [call.module for call in calls]
    assert ["0" in c.module.split(".") or "2" in c.module.split(".") for c in again] == [True] * 2
    for a, b in zip(calls, again, strict=True):
        assert torch.equal(a.attend().weights, b.attend().weights)
