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
    Gemma2Config,
    Gemma2Model,
    GPT2Config,
    GPT2Model,
    GptOssConfig,
    GptOssModel,
    LlamaConfig,
    LlamaModel,
    T5Config,
    T5EncoderModel,
)

from attention import Calls, capture
from attention.capturing import eager

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


def gemma2() -> Any:
    """Softcap, and a window of 4 in every other layer."""
    sizes = {"intermediate_size": 16, "num_key_value_heads": 2, "head_dim": 8, "sliding_window": 4}
    return Gemma2Model(Gemma2Config(**WIDTHS, **sizes, attn_logit_softcapping=0.5))


def gpt_oss() -> Any:
    """Sinks, and a window of 4 in every other layer."""
    sizes = {"intermediate_size": 16, "num_key_value_heads": 2, "head_dim": 8, "sliding_window": 4}
    experts = {"num_local_experts": 2, "num_experts_per_tok": 1}
    return GptOssModel(GptOssConfig(**WIDTHS, **sizes, **experts))


def t5() -> Any:
    """A position bias beside the mask, on its eager attention."""
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 16, "num_layers": 3, "num_heads": 4}
    model = T5EncoderModel(T5Config(vocab_size=50, **sizes))
    model.set_attn_implementation("eager")
    return model


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


@pytest.mark.parametrize("build", [gemma2, gpt_oss, t5])
@pytest.mark.parametrize("mask", [None, LEFT], ids=["whole", "left-padded"])
@torch.no_grad()
def test_models_whose_default_is_their_own_attention_are_recorded_with_all_it_does(
    build: Any, mask: Any, tmp_path: Path
) -> None:
    """Every row, those of padding too: there the library's own attention is uniform."""
    torch.manual_seed(0)
    model = build().eval()
    for parameter in model.parameters():
        parameter.normal_(0, 0.3)
    assert model.config._attn_implementation == "eager"
    inputs = {"input_ids": IDS} | ({} if mask is None else {"attention_mask": mask})
    expected = model(**inputs, output_attentions=True).attentions
    with capture(model) as calls:
        model(**inputs)
    calls.save(tmp_path / "run.safetensors")
    assert len(calls) == len(expected) == 3
    for call, weights in zip(Calls.load(tmp_path / "run.safetensors"), expected, strict=True):
        assert call.function == "eager_attention_forward" and call.module.split(".")[-1] != ""
        torch.testing.assert_close(call.attend().weights, weights, rtol=1e-5, atol=1e-6)


@torch.no_grad()
def test_what_no_field_says_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    model = gemma2().eval()
    read = eager.read_eager

    def without_softcap(*said: Any) -> Any:
        reading = read(*said)
        reading.options["softcap"] = None
        return reading

    monkeypatch.setattr(eager, "read_eager", without_softcap)
    for parameter in model.parameters():
        parameter.normal_(0, 0.3)
    said = r"layers\.0\.self_attn: its own attention does more"
    with pytest.warns(UserWarning, match=said), capture(model, layers=[0]):
        model(input_ids=IDS)


@torch.no_grad()
def test_the_librarys_functions_are_its_own_again_afterwards() -> None:
    from transformers.modeling_utils import AttentionInterface

    before = AttentionInterface.get_interface
    model = gemma2().eval()
    with capture(model) as calls:
        model(input_ids=IDS)
        assert AttentionInterface.get_interface is not before
    assert AttentionInterface.get_interface is before
    model(input_ids=IDS)
    assert len(calls) == 3


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
