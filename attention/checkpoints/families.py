"""How families of models name the parts of an attention module: one small entry each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """Names of a weight and its bias below the module; ``..`` steps out of it."""

    weight: str
    bias: str


def linear(name: str) -> Part:
    """A submodule with a weight and, maybe, a bias."""
    return Part(f"{name}.weight", f"{name}.bias")


@dataclass(frozen=True)
class Family:
    """Three separate projections q, k, v, or one that is ``fused``; the output is optional.

    ``conv1d``: the fused weight and the output's may stand as [in][out], which shapes tell.
    """

    name: str
    layout: str
    q: Part | None = None
    k: Part | None = None
    v: Part | None = None
    fused: Part | None = None
    o: Part | None = None
    conv1d: bool = False

    @property
    def inputs(self) -> dict[str, Part]:
        """What makes q, k and v, by the letter."""
        parts = {"fused": self.fused, "q": self.q, "k": self.k, "v": self.v}
        return {letter: part for letter, part in parts.items() if part is not None}


def separate(name: str, q: str, k: str, v: str, o: str) -> Family:
    """A weight each."""
    return Family(name, "separate", linear(q), linear(k), linear(v), o=linear(o))


def fused(name: str, layout: str, qkv: str, o: str, conv1d: bool = False) -> Family:
    """One weight for all three."""
    return Family(name, layout, fused=linear(qkv), o=linear(o), conv1d=conv1d)


# Models of these names rotate q and k, and only their config says how.
ROTARY = ("llama", "phi", "meta_llama", "gpt_neox", "codegen", "phi3", "internlm2")
IN_PROJ = Part("in_proj_weight", "in_proj_bias")

# Names alone, so one entry serves many models: "llama" is also Mistral, Qwen, Gemma, OLMo …
# "hand-written" are the names that courses and books give a layer of their own.
# Grouped rows [q…q k v] with one head in a group are GPT-NeoX's and BLOOM's per-head rows, and with
# one group Falcon's multi-query rows: the shapes say which.
FAMILIES: tuple[Family, ...] = (
    separate("llama", "q_proj", "k_proj", "v_proj", "o_proj"),
    separate("bart", "q_proj", "k_proj", "v_proj", "out_proj"),
    separate("phi", "q_proj", "k_proj", "v_proj", "dense"),
    separate("bert", "query", "key", "value", "../output.dense"),
    separate("albert", "query", "key", "value", "dense"),
    separate("distilbert", "q_lin", "k_lin", "v_lin", "out_lin"),
    separate("t5", "q", "k", "v", "o"),
    separate("meta_llama", "wq", "wk", "wv", "wo"),
    separate("diffusers", "to_q", "to_k", "to_v", "to_out.0"),
    separate("hand-written", "W_q", "W_k", "W_v", "W_o"),
    separate("hand-written", "W_Q", "W_K", "W_V", "W_O"),
    separate("hand-written", "w_q", "w_k", "w_v", "w_o"),
    separate("hand-written", "Wq", "Wk", "Wv", "Wo"),
    separate("hand-written", "W_query", "W_key", "W_value", "out_proj"),
    separate("hand-written", "q_linear", "k_linear", "v_linear", "out"),
    separate("hand-written", "linear_q", "linear_k", "linear_v", "linear_out"),
    Family("torch", "blocks", fused=IN_PROJ, o=linear("out_proj")),
    Family(
        "torch",
        "separate",
        q=Part("q_proj_weight", "in_proj_bias"),
        k=Part("k_proj_weight", "in_proj_bias"),
        v=Part("v_proj_weight", "in_proj_bias"),
        o=linear("out_proj"),
    ),
    fused("gpt2", "blocks", "c_attn", "c_proj", conv1d=True),
    fused("gpt_neox", "per_kv_group", "query_key_value", "dense"),
    fused("codegen", "codegen", "qkv_proj", "out_proj"),
    fused("phi3", "blocks", "qkv_proj", "o_proj"),
    fused("mpt", "blocks", "Wqkv", "out_proj"),
    fused("modernbert", "blocks", "Wqkv", "Wo"),
    fused("timm", "blocks", "qkv", "proj"),
    fused("vit_pytorch", "blocks", "to_qkv", "to_out.0"),
    separate("gguf", "attn_q", "attn_k", "attn_v", "attn_output"),
    fused("gguf", "blocks", "attn_qkv", "attn_output"),
    fused("internlm2", "per_kv_group", "wqkv", "wo"),
)
