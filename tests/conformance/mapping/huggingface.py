"""Attention modules of Hugging Face transformers.

Their mask is one additive tensor with everything folded in: 0 where a key is visible, the least
number of the dtype (not -Infinity) where it is not. ``added`` sends that tensor as it is;
``named`` says the same with the causal, padding and window masks it was made from, and then the
policy "uniform" says what the finite number does to a row that sees nothing.
"""

from __future__ import annotations

from ..exchange import Specification
from ..vectors import Vector


def heads_specification(case: Vector, masks: Specification) -> Specification:
    """The heads as they enter the dot product: normed, rotated, the cache already in front."""
    names = {"q": "query", "k": "key", "v": "value"}
    return {
        **{ours: case.inputs[theirs] for ours, theirs in names.items()},
        **scores(case),
        **masks,
    }


def module_specification(case: Vector, masks: Specification) -> Specification:
    """The module's own input and weights."""
    return {
        "x": case.inputs["hidden_states"],
        **memory(case),
        "num_heads": case.facts["q_heads"],
        "num_kv_heads": case.facts["kv_heads"],
        "head_dim": case.facts["head_dim"],
        **rope(case),
        **cache(case),
        **scores(case),
        **masks,
    }


def scores(case: Vector) -> Specification:
    bias = case.inputs.get("position_bias")
    return {
        "scale": case.facts["scaling"],
        "softcap": case.facts["softcap"],
        "biases": [] if bias is None else [{"kind": "matrix", "values": bias}],
        "dtype": case.dtype,
    }


def memory(case: Vector) -> Specification:
    return {"memory": case.inputs["key_value_states"]} if case.facts["cross"] else {}


def rope(case: Vector) -> Specification:
    """Ready tables, which already hold each frequency twice."""
    if "cos" not in case.inputs:
        return {}
    tables = {name: case.inputs[name] for name in ("cos", "sin")}
    return {"rope": {"style": "half", **tables}}


def cache(case: Vector) -> Specification:
    if not case.facts["past_len"]:
        return {}
    return {"past_k": case.inputs["past_key"], "past_v": case.inputs["past_value"]}


def added(case: Vector) -> Specification:
    values = case.inputs["attention_mask"]
    return {"masks": [{"kind": "matrix", "values": values, "convention": "additive"}]}


def named(case: Vector) -> Specification:
    return {
        "masks": [*causal(case), *window(case), *padding(case)],
        "fully_masked": "uniform",
    }


def causal(case: Vector) -> list[Specification]:
    """Heads given directly have no cache field, so the offset says where the queries stand."""
    if not case.facts["causal"]:
        return []
    return [{"kind": "causal", "offset": case.facts["past_len"]}]


def window(case: Vector) -> list[Specification]:
    """``sliding_window`` counts the query's own position; ``left`` does not."""
    size = case.facts["sliding_window"]
    if size is None:
        return []
    return [
        {"kind": "window", "left": size - 1, "right": None, "offset": case.facts["past_len"]},
    ]


def padding(case: Vector) -> list[Specification]:
    """The tokenizer's mask: 1 is a real token."""
    keep = case.inputs.get("tokens.attention_mask")
    return [] if keep is None else [{"kind": "padding", "keep": keep}]
