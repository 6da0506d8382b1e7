"""What a config.json says of a layer, in the words of each family."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from attention import FileError
from attention.checkpoints.config import Config
from attention.checkpoints.rotation import rope_of

MISTRAL = {"model_type": "mistral", "num_attention_heads": 4, "hidden_size": 32}
GEMMA2 = {"model_type": "gemma2", "num_attention_heads": 4, "sliding_window": 5}


def config(
    fields: dict[str, Any], name: str = "model.layers.1.self_attn", layer: int = 1
) -> Config:
    return Config.of(fields, name, layer)


@pytest.mark.parametrize("name", ["num_attention_heads", "n_head", "num_heads", "n_heads"])
def test_heads_have_several_names(name: str) -> None:
    assert config({name: 6}).num_heads() == 6


def test_encoder_and_decoder_have_heads_of_their_own() -> None:
    fields = {"encoder_attention_heads": 4, "decoder_attention_heads": 6}
    assert config(fields, "model.encoder.layers.0.self_attn").num_heads() == 4
    assert config(fields, "model.decoder.layers.0.encoder_attn").num_heads() == 6
    assert config(fields, "layers.0.self_attn").num_heads() is None
    same = {"encoder_attention_heads": 4, "decoder_attention_heads": 4}
    assert config(same, "layers.0.self_attn").num_heads() == 4


def test_composite_models_keep_a_config_for_each_part() -> None:
    fields = {
        "model_type": "clip",
        "text_config": {"num_attention_heads": 8, "model_type": "clip_text_model"},
        "vision_config": {"num_attention_heads": 12},
    }
    assert config(fields, "text_model.encoder.layers.0.self_attn").num_heads() == 8
    assert config(fields, "vision_model.encoder.layers.0.self_attn").num_heads() == 12
    assert config(fields, "language_model.layers.0.self_attn").num_heads() == 8


def test_width_of_a_head_is_said_or_shared_out() -> None:
    assert config(MISTRAL).head_dim() == 8
    assert config(MISTRAL | {"head_dim": 16}).head_dim() == 16
    assert config({"d_kv": 5, "num_heads": 4, "d_model": 32}).head_dim() == 5
    assert config({"hidden_size": 33, "num_attention_heads": 4}).head_dim() is None


@pytest.mark.parametrize(
    ("fields", "scale"),
    [
        (MISTRAL, None),
        ({"query_pre_attn_scalar": 16}, 0.25),
        ({"model_type": "granite", "attention_multiplier": 0.0078125}, 0.0078125),
        ({"model_type": "t5", "num_heads": 4, "d_kv": 8}, 1.0),
        ({"model_type": "gpt_neo"}, 1.0),
        ({"model_type": "gpt2", "n_head": 2, "n_embd": 8, "scale_attn_weights": True}, None),
        ({"model_type": "gpt2", "n_head": 2, "n_embd": 8, "scale_attn_weights": False}, 1.0),
        (
            {
                "model_type": "gpt2",
                "n_head": 2,
                "n_embd": 8,
                "scale_attn_by_inverse_layer_idx": True,
            },
            0.25,
        ),
    ],
)
def test_scale_where_it_is_not_the_usual_one(fields: dict[str, Any], scale: float | None) -> None:
    """GPT-2's second layer divides by 2 once more: 1/sqrt(4)/2."""
    assert config(fields).scale() == scale


def test_softcap_of_the_scores_is_not_the_one_of_the_logits() -> None:
    assert config({"attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0}).softcap() == 50
    assert (
        config({"attn_logit_softcapping": None, "final_logit_softcapping": 30.0}).softcap() is None
    )


@pytest.mark.parametrize(
    ("fields", "windows"),
    [
        (MISTRAL | {"sliding_window": 5}, [5, 5, 5, 5, 5, 5]),
        (MISTRAL | {"sliding_window": None}, [None] * 6),
        (GEMMA2, [5, None, 5, None, 5, None]),
        (GEMMA2 | {"layer_types": ["full_attention", "sliding_attention"] * 3}, [None, 5] * 3),
        ({"model_type": "gemma3_text", "sliding_window": 5}, [5, 5, 5, 5, 5, None]),
        (
            {"model_type": "gemma3_text", "sliding_window": 5, "sliding_window_pattern": 3},
            [5, 5, None, 5, 5, None],
        ),
        ({"model_type": "qwen2", "sliding_window": 5, "use_sliding_window": False}, [None] * 6),
        ({"model_type": "qwen2_moe", "sliding_window": 0, "use_sliding_window": False}, [None] * 6),
        (
            {
                "model_type": "qwen2",
                "sliding_window": 5,
                "use_sliding_window": True,
                "max_window_layers": 4,
            },
            [None] * 4 + [5, 5],
        ),
        (
            {
                "model_type": "gpt_neo",
                "window_size": 5,
                "attention_layers": ["global", "local"] * 3,
            },
            [None, 5] * 3,
        ),
        ({"model_type": "swin", "window_size": 7, "num_heads": [3, 6]}, [None] * 6),
    ],
)
def test_window_of_each_layer(fields: dict[str, Any], windows: list[int | None]) -> None:
    found = [config(fields, f"layers.{i}.self_attn", i).window() for i in range(6)]
    assert found == [size and (size - 1, None) for size in windows]


def test_window_of_an_encoder_has_two_sides() -> None:
    fields = {"model_type": "modernbert", "local_attention": 8}
    newer = fields | {"layer_types": ["sliding_attention", "full_attention"] * 3}
    older = fields | {"global_attn_every_n_layers": 3}
    assert [config(newer, "a", i).window() for i in range(3)] == [(4, 4), None, (4, 4)]
    assert [config(older, "a", i).window() for i in range(4)] == [None, (4, 4), (4, 4), None]


def rope(fields: dict[str, Any], D: int = 8, **more: Any) -> Any:
    arguments = {"positions": None, "style": None, "T": 3, "P": 2} | more
    layer = arguments.pop("layer", 1)
    return rope_of(config(fields, layer=layer), D, **arguments)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"model_type": "llama"}, {"style": "half", "base": 10000.0}),
        ({"model_type": "llama", "rope_theta": 5e5}, {"style": "half", "base": 5e5}),
        (
            {
                "model_type": "mistral",
                "rope_parameters": {"rope_theta": 1e6, "rope_type": "default"},
            },
            {"style": "half", "base": 1e6},
        ),
        (
            {"model_type": "gpt_neox", "rotary_pct": 0.25, "rotary_emb_base": 100},
            {"style": "half", "base": 100.0, "dim": 2},
        ),
        (
            {
                "model_type": "gpt_neox",
                "rope_parameters": {"partial_rotary_factor": 0.5, "rope_theta": 100.0},
            },
            {"style": "half", "base": 100.0, "dim": 4},
        ),
        ({"model_type": "gptj", "rotary_dim": 4}, {"style": "interleaved", "base": 1e4, "dim": 4}),
        ({"model_type": "new_one", "rope_theta": 7.0}, {"style": "half", "base": 7.0}),
        ({"model_type": "new_one"}, None),
        ({"model_type": "bert"}, None),
        ({"model_type": "falcon", "alibi": True}, None),
        ({"model_type": "falcon", "alibi": False}, {"style": "half", "base": 1e4}),
        ({"model_type": "smollm3", "no_rope_layers": [1, 0]}, None),
        ({"model_type": "smollm3", "no_rope_layers": [0, 1]}, {"style": "half", "base": 1e4}),
        ({"model_type": "esm", "position_embedding_type": "absolute", "rope_theta": 1e4}, None),
        (
            {"model_type": "esm", "position_embedding_type": "rotary", "rope_theta": 1e4},
            {"style": "half", "base": 1e4},
        ),
    ],
)
def test_rotation_in_the_words_of_each_family(fields: dict[str, Any], expected: Any) -> None:
    assert rope(fields) == expected


def test_layers_with_a_window_may_rotate_otherwise() -> None:
    newer = {
        "model_type": "gemma3_text",
        "layer_types": ["full_attention", "sliding_attention"],
        "sliding_window": 4,
        "rope_parameters": {
            "full_attention": {"rope_theta": 1e6, "rope_type": "default"},
            "sliding_attention": {"rope_theta": 1e4, "rope_type": "default"},
        },
    }
    older = {
        "model_type": "gemma3_text",
        "sliding_window": 4,
        "sliding_window_pattern": 2,
        "rope_theta": 1e6,
        "rope_local_base_freq": 1e4,
    }
    encoder = {
        "model_type": "modernbert",
        "local_attention": 8,
        "global_attn_every_n_layers": 2,
        "global_rope_theta": 1e6,
        "local_rope_theta": 1e4,
    }
    assert (rope(encoder, layer=0)["base"], rope(encoder, layer=1)["base"]) == (1e6, 1e4)
    assert (rope(newer, layer=0)["base"], rope(newer, layer=1)["base"]) == (1e6, 1e4)
    assert (rope(older, layer=1)["base"], rope(older, layer=0)["base"]) == (1e6, 1e4)


def angles(rates: list[float], places: list[int]) -> Any:
    half = np.outer(places, rates)
    return np.concatenate([half, half], axis=1)


def test_linear_scaling_divides_the_positions() -> None:
    """Positions 2, 3, 4 after a cache of 2, divided by 4; rates of base 100 at width 4: 1, 1/10."""
    said = {"type": "linear", "factor": 4.0}
    found = rope({"model_type": "llama", "rope_theta": 100.0, "rope_scaling": said}, D=4)
    expected = angles([1.0, 0.1], [2, 3, 4]) / 4
    np.testing.assert_allclose(found["cos"], np.cos(expected), rtol=1e-12)
    np.testing.assert_allclose(found["sin"], np.sin(expected), rtol=1e-12)


def test_llama3_scaling_keeps_fast_waves_and_stretches_slow_ones() -> None:
    """Written as its authors put it, by wavelengths against two limits."""
    said = {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    }
    found = rope({"model_type": "llama", "rope_theta": 10000.0, "rope_scaling": said}, D=16)
    rates = []
    for i in range(8):
        rate = 10000.0 ** (-2 * i / 16)
        wavelength = 2 * math.pi / rate
        if wavelength < 64 / 4:
            rates.append(rate)
        elif wavelength > 64 / 1:
            rates.append(rate / 8)
        else:
            smooth = (64 / wavelength - 1) / (4 - 1)
            rates.append((1 - smooth) * rate / 8 + smooth * rate)
    kept = [rate * 10000.0 ** (2 * i / 16) for i, rate in enumerate(rates)]
    assert max(kept) == 1
    assert min(kept) == pytest.approx(1 / 8)
    assert any(0.2 < share < 0.9 for share in kept)
    np.testing.assert_allclose(found["cos"], np.cos(angles(rates, [2, 3, 4])), rtol=1e-12)


def test_positions_of_the_specification_make_the_tables() -> None:
    said = {"type": "linear", "factor": 2.0}
    fields = {"model_type": "gptj", "rotary_dim": 2, "rope_scaling": said}
    found = rope(fields, D=4, positions=torch.tensor([[0, 6, 7]]))
    np.testing.assert_allclose(found["cos"][0, :, 0], np.cos([0, 3, 3.5]), rtol=1e-12)
    assert found["style"] == "interleaved"
    assert found["cos"].shape == (1, 3, 2)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"rope_scaling": {"type": "proportional", "factor": 2.0}}, "'proportional'"),
        ({"rope_scaling": {"type": ["yarn"], "factor": 2.0}}, "not one that is read"),
        ({"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "max_position_embeddings"),
        ({"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, "max_position_embeddings"),
        (
            {"rope_scaling": {"type": "yarn", "factor": 0.0}, "max_position_embeddings": 64},
            "factor",
        ),
        (
            {"rope_scaling": {"type": "longrope"}, "max_position_embeddings": 64},
            "short_factor has one positive number",
        ),
        (
            {
                "rope_scaling": {"type": "longrope", "short_factor": [1.0, "x"]},
                "max_position_embeddings": 64,
            },
            "short_factor has one positive number",
        ),
        ({"rope_scaling": {"type": "linear"}}, "factor"),
        ({"rope_scaling": {"type": "linear", "factor": "x"}}, "factor"),
        ({"rope_scaling": 5}, "must be an object"),
        ({"rope_theta": "x"}, "rope_theta must be a number"),
        ({"rope_theta": -1.0}, "must be positive"),
        ({"rope_theta": float("inf")}, "rope_theta"),
        ({"partial_rotary_factor": 2.0}, "0 to 1"),
        ({"partial_rotary_factor": 0.4}, "even number"),
        ({"rope_parameters": {"partial_rotary_factor": float("inf")}}, "0 to 1"),
        ({"rotary_dim": -4}, "even number"),
    ],
)
def test_rotation_that_cannot_be_read_is_refused_by_name(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(FileError, match=said):
        rope({"model_type": "llama", **fields})


@pytest.mark.parametrize(
    "fields",
    [
        {"num_attention_heads": "four"},
        {"num_attention_heads": 0},
        {"num_attention_heads": True},
        {"num_attention_heads": 2.5},
    ],
)
def test_head_counts_that_are_no_counts_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(FileError, match="num_attention_heads must be a whole number"):
        config(fields).num_heads()


@pytest.mark.parametrize("value", ["x", [1], {}, True])
def test_numbers_that_are_none_are_refused_by_name(value: Any) -> None:
    for name in ("query_pre_attn_scalar", "attn_logit_softcapping", "rms_norm_eps"):
        with pytest.raises(FileError, match=f"{name} must be a number"):
            found = config({name: value})
            (found.scale(), found.softcap(), found.norm_eps())
