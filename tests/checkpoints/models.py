"""Configurations of small models, by family."""

from typing import Any

SIZES = {"vocab_size": 64, "num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4}
PLAIN = {**SIZES, "intermediate_size": 48, "max_position_embeddings": 64, "pad_token_id": 0}
GROUPED = {**PLAIN, "num_key_value_heads": 2}
GPT = {"vocab_size": 64, "n_layer": 2, "n_embd": 32, "n_head": 4, "n_positions": 64}
FALCON = {**SIZES, "alibi": False, "bias": True}
ROPE = {"rope_type": "default", "rope_theta": 1e4}
LINEAR = {"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 1e4,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
YARN = {
    "rope_type": "yarn",
    "rope_theta": 1e4,
    "factor": 4.0,
    "original_max_position_embeddings": 5,
}
DYNAMIC = {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 3.0}
LONGROPE = {
    "rope_type": "longrope",
    "rope_theta": 1e4,
    "short_factor": [1.0, 1.1, 1.3, 1.7],
    "long_factor": [1.2, 1.9, 3.1, 5.3],
    "original_max_position_embeddings": 7,
}
BERT = {**PLAIN, "pad_token_id": 0}

# Name, configuration, its fields, the attention's last name, what the specification adds.
CASES: dict[str, tuple[str, dict[str, Any], str, dict[str, Any]]] = {
    "llama, linear scaling": ("Llama", {**GROUPED, "rope_parameters": LINEAR}, "self_attn", {}),
    "llama, llama3 scaling": ("Llama", {**GROUPED, "rope_parameters": LLAMA3}, "self_attn", {}),
    "llama, yarn": ("Llama", {**GROUPED, "rope_parameters": YARN}, "self_attn", {}),
    "llama, dynamic scaling": (
        "Llama",
        {**GROUPED, "rope_parameters": DYNAMIC, "max_position_embeddings": 7},
        "self_attn",
        {},
    ),
    "phi3, longrope": (
        "Phi3",
        {**GROUPED, "rope_parameters": LONGROPE, "original_max_position_embeddings": 7},
        "self_attn",
        {},
    ),
    "qwen2": ("Qwen2", GROUPED, "self_attn", {}),
    "qwen3": ("Qwen3", {**GROUPED, "head_dim": 8}, "self_attn", {}),
    "gemma": ("Gemma", {**GROUPED, "head_dim": 16}, "self_attn", {}),
    "gemma3": (
        "Gemma3Text",
        {**GROUPED, "head_dim": 8, "sliding_window": 4, "query_pre_attn_scalar": 16},
        "self_attn",
        {},
    ),
    "olmo2": ("Olmo2", GROUPED, "self_attn", {}),
    "phi": ("Phi", {**GROUPED, "partial_rotary_factor": 0.5}, "self_attn", {}),
    "phi3": ("Phi3", {**GROUPED, "sliding_window": 4}, "self_attn", {}),
    "stablelm": ("StableLm", {**GROUPED, "partial_rotary_factor": 0.25}, "self_attn", {}),
    "starcoder2": ("Starcoder2", {**GROUPED, "sliding_window": 4}, "self_attn", {}),
    "cohere": ("Cohere", GROUPED, "self_attn", {}),
    "glm": ("Glm", {**GROUPED, "head_dim": 8, "partial_rotary_factor": 0.5}, "self_attn", {}),
    "granite": ("Granite", {**GROUPED, "attention_multiplier": 0.3}, "self_attn", {}),
    "smollm3": ("SmolLM3", {**GROUPED, "no_rope_layers": [1, 0]}, "self_attn", {}),
    "gpt_oss": (
        "GptOss",
        {
            **GROUPED,
            "head_dim": 8,
            "sliding_window": 4,
            "rope_parameters": ROPE,
            "num_local_experts": 2,
            "num_experts_per_tok": 1,
        },
        "self_attn",
        {},
    ),
    "persimmon": ("Persimmon", {**PLAIN, "qk_layernorm": False}, "self_attn", {}),
    "gpt_neo": (
        "GPTNeo",
        {
            "vocab_size": 64,
            "hidden_size": 32,
            "num_layers": 2,
            "num_heads": 4,
            "window_size": 3,
            "attention_types": [[["global", "local"], 1]],
            "max_position_embeddings": 64,
        },
        "attention",
        {},
    ),
    "gptj": ("GPTJ", {**GPT, "rotary_dim": 4}, "attn", {}),
    "codegen": ("CodeGen", {**GPT, "rotary_dim": 4, "n_ctx": 64}, "attn", {}),
    "gpt2, scaled by its layer": (
        "GPT2",
        {**GPT, "scale_attn_by_inverse_layer_idx": True},
        "attn",
        {},
    ),
    "starcoder": ("GPTBigCode", {**GPT, "multi_query": True}, "attn", {}),
    "starcoder, every head": ("GPTBigCode", {**GPT, "multi_query": False}, "attn", {}),
    "falcon 7b": ("Falcon", {**FALCON, "multi_query": True}, "self_attention", {}),
    "falcon 40b": (
        "Falcon",
        {**FALCON, "new_decoder_architecture": True, "num_kv_heads": 2},
        "self_attention",
        {},
    ),
    "falcon rw": (
        "Falcon",
        {**FALCON, "multi_query": False, "parallel_attn": False},
        "self_attention",
        {},
    ),
    "bloom": (
        "Bloom",
        {"vocab_size": 64, "hidden_size": 32, "n_layer": 2, "n_head": 4},
        "self_attention",
        {"biases": [{"kind": "alibi"}]},
    ),
    "mpt": (
        "Mpt",
        {"vocab_size": 64, "d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 64},
        "attn",
        {"biases": [{"kind": "alibi"}]},
    ),
    "helium": ("Helium", {**GROUPED, "head_dim": 8}, "self_attn", {}),
    "ernie4_5_moe": (
        "Ernie4_5_Moe",
        {**GROUPED, "moe_num_experts": 2, "moe_k": 1, "moe_intermediate_size": 8},
        "self_attn",
        {},
    ),
    "qwen2_moe": (
        "Qwen2Moe",
        {**GROUPED, "num_experts": 2, "num_experts_per_tok": 1, "moe_intermediate_size": 8},
        "self_attn",
        {},
    ),
    "opt": ("OPT", {**PLAIN, "ffn_dim": 48, "word_embed_proj_dim": 32}, "self_attn", {}),
    "roberta": ("Roberta", BERT, "self", {}),
    "roformer": ("RoFormer", {**BERT, "embedding_size": 32}, "self", {}),
    "esm": ("Esm", BERT, "self", {}),
    "esm, rotary": ("Esm", {**BERT, "position_embedding_type": "rotary"}, "self", {}),
    "albert": ("Albert", {**BERT, "embedding_size": 16}, "attention", {}),
    "distilbert": (
        "DistilBert",
        {"vocab_size": 64, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48},
        "attention",
        {},
    ),
    "modernbert": (
        "ModernBert",
        {
            **PLAIN,
            "local_attention": 4,
            "eos_token_id": 1,
            "bos_token_id": 2,
            "cls_token_id": 3,
            "sep_token_id": 4,
        },
        "attn",
        {},
    ),
}
BIDIRECTIONAL = {
    *("roberta", "roformer", "esm", "esm, rotary", "albert", "distilbert", "modernbert"),
}
# Their module's output is taken before its projection, or has the residual added already.
NOT_THE_OUTPUT = {"roberta", "roformer", "esm", "esm, rotary", "albert", "bloom"}
