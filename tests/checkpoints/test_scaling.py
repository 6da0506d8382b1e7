"""Scaled rotary frequencies against the rotary embedding modules of transformers.

Heads of 2 · 13 numbers, an original length of 7: inside it, at its end, and beyond. The modules
compute their frequencies in float32, which is what the 1e-6 is for.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import LlamaConfig, Phi3Config
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
from transformers.models.phi3.modeling_phi3 import Phi3RotaryEmbedding

from attention.checkpoints.config import Config
from attention.checkpoints.rotation import rope_of

D, ORIGINAL = 26, 7
YARN = {"rope_type": "yarn", "rope_theta": 500.0, "factor": 3.0}
SHORT = [1.0 + 0.07 * i for i in range(13)]
LONG = [1.3 + 0.9 * i for i in range(13)]
LONGROPE = {"rope_type": "longrope", "rope_theta": 1e4, "short_factor": SHORT, "long_factor": LONG}
AT = {"original_max_position_embeddings": ORIGINAL}

# Name: the scaling, and the longest context that the config names beside it.
CASES: dict[str, tuple[dict[str, Any], int]] = {
    "yarn": ({**YARN, **AT}, 21),
    "yarn, whole pairs": (
        {**YARN, **AT, "truncate": False, "beta_fast": 1.5, "beta_slow": 0.05},
        21,
    ),
    "yarn, its own factor": ({**YARN, **AT, "attention_factor": 1.7}, 21),
    "yarn, two mscales": ({**YARN, **AT, "mscale": 0.7, "mscale_all_dim": 0.4}, 21),
    "yarn, stretch by lengths": ({**YARN, **AT, "factor": None}, 35),
    "yarn, wide": ({**YARN, **AT, "factor": 40.0, "rope_theta": 1e4, "beta_fast": 2.0}, 280),
    "dynamic": ({"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.5}, ORIGINAL),
    "longrope": ({**LONGROPE, **AT}, 21),
    "longrope, by factor": ({**LONGROPE, **AT, "factor": 5.0}, 21),
    "longrope, its own factor": ({**LONGROPE, **AT, "attention_factor": 1.3}, 21),
    "longrope, not stretched": ({**LONGROPE, **AT}, ORIGINAL),
}


def module_of(said: dict[str, Any], longest: int) -> torch.nn.Module:
    """The rotary embedding of a model with this scaling, made anew."""
    fields = {"hidden_size": 3 * D, "num_attention_heads": 3, "max_position_embeddings": longest}
    if said["rope_type"] == "longrope":
        config = Phi3Config(**fields, rope_parameters=dict(said), pad_token_id=0, **AT)
        return Phi3RotaryEmbedding(config)
    return LlamaRotaryEmbedding(LlamaConfig(**fields, rope_parameters=dict(said)))


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("start", "T"), [(0, 5), (0, ORIGINAL), (0, 11), (6, 7)])
def test_tables_are_those_of_the_models_own_module(name: str, start: int, T: int) -> None:
    said, longest = CASES[name]
    places = torch.arange(start, start + T)
    cos, sin = module_of(said, longest)(torch.zeros(1, dtype=torch.float64), places[None])
    fields = {"model_type": "llama", "rope_parameters": said, "max_position_embeddings": longest}
    found = rope_of(Config.of(fields, "self_attn", 0), D, None, None, T=T, P=start)
    assert found is not None
    torch.testing.assert_close(found["cos"], cos[0], rtol=0, atol=1e-6)
    torch.testing.assert_close(found["sin"], sin[0], rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["dynamic", "longrope"])
def test_the_farthest_position_of_the_batch_decides(name: str) -> None:
    said, longest = CASES[name]
    places = torch.tensor([[0, 1, 2], [3, 10, 11]])
    cos, _ = module_of(said, longest)(torch.zeros(1, dtype=torch.float64), places)
    fields = {"model_type": "llama", "rope_parameters": said, "max_position_embeddings": longest}
    found = rope_of(Config.of(fields, "self_attn", 0), D, places, None, T=3, P=0)
    assert found is not None
    torch.testing.assert_close(found["cos"], cos, rtol=0, atol=1e-6)


def test_older_names_and_places_say_the_same() -> None:
    new = {"rope_parameters": {**LONGROPE, **AT}, "max_position_embeddings": 21}
    scaling = {"type": "su", "short_factor": SHORT, "long_factor": LONG}
    old = {"rope_scaling": scaling, "rope_theta": 1e4, "max_position_embeddings": 21, **AT}
    a, b = (
        rope_of(Config.of({"model_type": "phi3", **f}, "self_attn", 0), D, None, None, T=11, P=0)
        for f in (new, old)
    )
    assert a is not None
    assert b is not None
    torch.testing.assert_close(a["cos"], b["cos"], rtol=0, atol=0)
