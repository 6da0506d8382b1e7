"""How the wrong answers of the report cases come about, said as specifications.

Whoever meets one of these numbers in their own model can ask the API for the same mistake.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .exchange import Array, Specification
from .mapping.reports import Reading, specification
from .mapping.reports_inputs import Parts, alibi, blocks, matrix_bias, per_head, same_weight_thrice
from .vectors import report

Given = dict[str, Any]
Change = Callable[[Given], Specification]

CAUSAL = {"kind": "causal"}
TOP_LEFT = {"kind": "causal", "alignment": "top_left"}


@dataclass(frozen=True)
class Mistake:
    """One entry of a case's ``wrong``, and what makes a specification wrong in that way."""

    case: str
    wrong: str
    change: Change
    names: dict[str, str] = field(default_factory=dict)
    """The names that comparisons know, where the case gives its numbers other ones."""

    def __str__(self) -> str:
        return f"{self.case}: {self.wrong}"

    def reading(self) -> Reading:
        case = report(self.case)
        changed = specification(case) | self.change(case.facts["input"])
        said = {name: value for name, value in changed.items() if value is not None}
        wrong = case.facts["wrong"][self.wrong]
        if self.names:
            found = {known: wrong[name] if name else wrong for known, name in self.names.items()}
        else:
            found = {name: value for name, value in wrong.items() if name in COMPARED}
        assert found, f"nothing to compare in {self}"
        return Reading(said, found)


COMPARED = {"q", "q_heads", "weights", "output", "row_sums", "fully_masked_rows", "visible_per_row"}


def with_masks(*masks: Specification) -> Change:
    return lambda given: {"masks": list(masks)}


def with_fields(**fields: Any) -> Change:
    return lambda given: fields


def mask_read_as(convention: str) -> Change:
    """The case's matrix as it stands, whatever its true means and whichever axes it has."""

    def change(given: Given) -> Specification:
        values = np.asarray(given["mask"])
        return {"masks": [{"kind": "matrix", "values": values, "convention": convention}]}

    return change


def mask_added(given: Given) -> Specification:
    """True is added to the scores as 1: nothing is masked."""
    return {"masks": [], "biases": [matrix_bias(given["mask"])]}


def padding_read_as_ignore(given: Given) -> Specification:
    keep = np.asarray(given["attention_mask"]) == 0
    return {"masks": [{"kind": "padding", "keep": keep}]}


def and_nan(change: Change) -> Change:
    """Rows without a key as the plain formula gives them."""
    return lambda given: change(given) | {"fully_masked": "nan"}


def window_without_the_query(given: Given) -> Specification:
    window = {"kind": "window", "left": given["sliding_window"], "right": None}
    return {"masks": [CAUSAL, window]}


def scale_of_the_value_width(given: Given) -> Specification:
    return {"scale": given["d_v"] ** -0.5}


def alibi_after_the_scale(given: Given) -> Specification:
    return {"biases": [matrix_bias(given["alibi_bias_unscaled"])]}


def alibi_without_causal(given: Given) -> Specification:
    return {"masks": [], "biases": [alibi(given)]}


def key_position_without_causal(given: Given) -> Specification:
    keys = np.arange(np.asarray(given["k"]).shape[2])
    return {"masks": [], "biases": [matrix_bias(given["alibi_slope"] * keys)]}


def fused_read_as(split: Callable[[Array, int, int, int], Parts]) -> Change:
    def change(given: Given) -> Specification:
        sizes = given["num_heads"], given["num_kv_heads"], given["d_head"]
        w_q, w_k, w_v = split(np.asarray(given["fused_weight"]), *sizes)
        return {"projection": {"kind": "given", "w_q": w_q, "w_k": w_k, "w_v": w_v}}

    return change


def conv1d_read_as_linear(given: Given) -> Specification:
    return same_weight_thrice(np.asarray(given["weight"]))


def batch_read_as_sequence(given: Given) -> Specification:
    """Token t of every sequence stands at batch t."""
    return {name: np.asarray(given[name]).transpose(2, 1, 0, 3) for name in ("q", "k", "v")}


def heads_cut_by_reshape(given: Given) -> Specification:
    """Heads given directly, cut from [B][L][d_model] in the order the numbers lie."""
    heads = {}
    for name in ("q", "k", "v"):
        merged = np.asarray(given[name])
        batch, length, width = merged.shape
        num_heads = given["num_heads"]
        heads[name] = merged.reshape(batch, num_heads, length, width // num_heads)
    return heads | {"x": None, "num_heads": None, "head_dim": None, "projection": None}


MISTAKES = [
    Mistake("additive-bias-and-causal", "bias_only", with_masks()),
    Mistake("additive-bias-and-causal", "causal_only", with_fields(biases=[])),
    Mistake(
        "alibi-key-position-form",
        "without_causal_the_two_differ",
        alibi_without_causal,
        {"weights": "minus_distance_weights"},
    ),
    Mistake(
        "alibi-key-position-form",
        "without_causal_the_two_differ",
        key_position_without_causal,
        {"weights": "key_position_weights"},
    ),
    Mistake("alibi-scaled-in-falcon", "bloom_convention", alibi_after_the_scale),
    Mistake("all-masked-row", "plain_softmax", with_fields(fully_masked="nan")),
    Mistake("attention-sink-per-head", "renormalised_to_1_(sink_lost)", with_fields(sinks=None)),
    Mistake("batch-and-sequence-axes-swapped", "batch_read_as_sequence", batch_read_as_sequence),
    Mistake("bool-or-01-mask-added-as-bias", "mask_added_as_0_1_bias", mask_added),
    Mistake("causal-2-queries-5-keys", "top_left", with_masks(TOP_LEFT)),
    Mistake("causal-2-queries-5-keys", "mask_dropped_when_Lq_ne_Lk", with_masks()),
    Mistake("fused-qkv-blocks-in-proj-weight", "read_as_per_head", fused_read_as(per_head)),
    Mistake("fused-qkv-falcon-groups", "read_as_blocks", fused_read_as(blocks)),
    Mistake("gpt2-conv1d-weight-is-transposed", "used_as_out_in", conv1d_read_as_linear, {"y": ""}),
    Mistake("kv-cache-decode-one-query", "top_left", with_masks(TOP_LEFT)),
    Mistake("left-padding-causal", "padding_mask_dropped", with_masks(CAUSAL)),
    Mistake("mask-3d-batch-or-head", "mask_b_applied_to_head_b", mask_read_as("allowed")),
    Mistake("mask-after-softmax", "masked_after_softmax", with_fields(mask_order="after_softmax")),
    Mistake("mask-polarity-bool", "if_true_is_read_as_allowed", mask_read_as("allowed")),
    Mistake(
        "padding-mask-1-means-keep",
        "used_as_key_padding_mask_True_is_ignore",
        padding_read_as_ignore,
    ),
    Mistake(
        "padding-mask-1-means-keep",
        "used_as_key_padding_mask_True_is_ignore",
        and_nan(padding_read_as_ignore),
        {"weights": "torch_2_13_nn_MultiheadAttention_weights"},
    ),
    Mistake("sliding-window-off-by-one", "W_previous_keys_plus_self", window_without_the_query),
    Mistake("split-heads-by-reshape-only", "reshape_without_transpose", heads_cut_by_reshape),
    Mistake("value-dim-differs-from-key-dim", "scale_from_value_dim", scale_of_the_value_width),
]
