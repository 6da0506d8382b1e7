"""What a model type does that its config.json does not say: one small entry each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Style = Literal["half", "interleaved"]


@dataclass(frozen=True)
class Model:
    """``rotary``: how rotated entries pair up, None for models without rotation.

    ``scale``: where it is a number of its own. ``norm_offset`` is added to stored q/k-norm
    weights. ``layout``: where the names alone would say another one. ``window_period`` n: every
    nth layer sees everything, the others have the window. ``alibi``: the scores get ALiBi.
    ``both_sides``: the window is ``local_attention`` wide, half of it on each side. ``beyond``:
    what no field of a specification says, for a warning.
    """

    rotary: Style | None = None
    scale: float | None = None
    norm_offset: float = 0.0
    layout: str | None = None
    window_period: int | None = None
    alibi: bool = False
    both_sides: bool = False
    beyond: str | None = None


HALF = Model("half")
INTERLEAVED = Model("interleaved")
UNSCALED = Model(scale=1.0)

MODELS: dict[str, Model] = {
    **dict.fromkeys(
        (
            *("llama", "mistral", "mixtral", "ministral", "qwen2", "qwen2_moe", "qwen3"),
            *("qwen3_moe", "gemma", "phi", "gpt_neox", "gpt_neox_japanese", "stablelm"),
            *("persimmon", "falcon", "olmo", "olmo2", "olmoe", "starcoder2", "smollm3", "granite"),
            *("granitemoe", "gpt_oss", "internlm2", "nemotron", "exaone4", "seed_oss"),
        ),
        HALF,
    ),
    **dict.fromkeys(
        (
            *("gptj", "cohere", "cohere2", "glm", "glm4", "ernie4_5", "ernie4_5_moe", "helium"),
            "roformer",
        ),
        INTERLEAVED,
    ),
    "nanochat": Model(beyond="q and k turn the other way round and are normalised afterwards"),
    **dict.fromkeys(("t5", "mt5", "umt5", "longt5", "switch_transformers", "gpt_neo"), UNSCALED),
    "gemma2": Model("half", window_period=2),
    "gemma3": Model("half", norm_offset=1.0, window_period=6),
    "gemma3_text": Model("half", norm_offset=1.0, window_period=6),
    "phi3": Model("half", layout="blocks"),
    "codegen": Model("interleaved", layout="codegen"),
    # llama.cpp reorders the rows of some models so that neighbours rotate together.
    **dict.fromkeys(("gguf llama", "gguf granite", "gguf internlm2", "gguf olmo"), INTERLEAVED),
    **dict.fromkeys(
        ("gguf qwen2", "gguf qwen3", "gguf phi2", "gguf phi3", "gguf gptneox", "gguf olmo2"), HALF
    ),
    "gpt_bigcode": Model(layout="per_kv_group"),
    "modernbert": Model("half", both_sides=True),
    "bloom": Model(alibi=True),
    "mpt": Model(alibi=True),
    "chatglm": Model("interleaved", layout="blocks"),
}


def model(model_type: str | None, rotary_in_config: bool) -> Model:
    """The entry of a model type; an unknown one rotates by halves where its config has a base."""
    known = MODELS.get(model_type or "")
    if known is None and (model_type or "").startswith("gguf "):
        return Model()
    return known or (HALF if rotary_in_config else Model())
